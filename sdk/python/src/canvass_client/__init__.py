"""A client of Canvass, the survey service that you host yourself."""

from ._async_canvass import AsyncCanvass
from ._canvass import Canvass
from ._csv import csv_records, csv_rows
from ._error import CanvassError, Place
from ._webhook import is_genuine

__all__ = ["AsyncCanvass", "Canvass", "CanvassError", "Place", "csv_records", "csv_rows", "is_genuine"]
