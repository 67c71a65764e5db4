from __future__ import annotations

from typing import Unpack

from ._connection import Connection
from ._options import PostOptions
from .v2.lists import Lists
from .v2.models import ImportedResponses
from .v2.operations import Operations


class V2(Operations):
    """Version 2 of the API. Every operation is a method."""

    paginate: Lists
    """Iterators over all pages of a list."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.paginate = Lists(self)

    def import_responses(self, survey_id: int, csv: str | bytes, **options: Unpack[PostOptions]) -> ImportedResponses:
        """Imports the rows of a CSV file as responses.

        If a row is invalid, no row is imported. The header must contain question IDs.
        """
        return ImportedResponses.from_dict(self._send_csv(f"/surveys/{survey_id}/responses/", csv, options))
