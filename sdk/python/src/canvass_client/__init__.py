"""Typed client for Canvass, a self-hosted survey service."""

from . import webhooks
from ._async_canvass import AsyncCanvass
from ._canvass import Canvass
from ._csv import csv_records, csv_rows
from ._error import CanvassError, FieldError
from ._other_kind import OtherKind

__all__ = [
    "AsyncCanvass",
    "Canvass",
    "CanvassError",
    "FieldError",
    "OtherKind",
    "csv_records",
    "csv_rows",
    "webhooks",
]
