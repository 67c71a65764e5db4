"""Typed client for Canvass, a self-hosted survey service."""

from . import webhooks
from ._async_canvass import AsyncCanvass
from ._canvass import Canvass
from ._csv import csv_records, csv_rows
from ._error import CanvassError, FieldError

__all__ = ["AsyncCanvass", "Canvass", "CanvassError", "FieldError", "csv_records", "csv_rows", "webhooks"]
