"""Typed client for Canvass, a self-hosted survey service."""

from . import webhooks
from ._async_canvass import AsyncCanvass
from ._canvass import Canvass
from ._csv import csv_records, csv_rows
from ._error import (
    APIConnectionError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    CanvassError,
    ConflictError,
    FieldError,
    GoneError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitError,
    UnprocessableEntityError,
)
from ._error_codes import ErrorCode
from ._options import CallOptions, PostOptions
from ._other_kind import OtherKind
from ._pages import AsyncChangeFeed, ChangeFeed
from ._query import Condition
from ._response import APIResponse, RateLimit

__all__ = [
    "APIConnectionError",
    "APIResponse",
    "APITimeoutError",
    "AsyncCanvass",
    "AsyncChangeFeed",
    "AuthenticationError",
    "BadRequestError",
    "CallOptions",
    "Canvass",
    "CanvassError",
    "ChangeFeed",
    "Condition",
    "ConflictError",
    "ErrorCode",
    "FieldError",
    "GoneError",
    "InternalServerError",
    "NotFoundError",
    "OtherKind",
    "PermissionDeniedError",
    "PostOptions",
    "PreconditionFailedError",
    "RateLimit",
    "RateLimitError",
    "UnprocessableEntityError",
    "csv_records",
    "csv_rows",
    "webhooks",
]
