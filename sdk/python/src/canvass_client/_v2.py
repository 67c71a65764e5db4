from __future__ import annotations

from ._connection import Connection
from .v2.lists import Lists
from .v2.models import ImportedResponses
from .v2.operations import Operations


class V2(Operations):
    """Version 2: every operation is a method."""

    each: Lists
    """The paged lists, item by item over all their pages."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.each = Lists(self)

    def import_responses(self, survey_id: int, csv: str | bytes) -> ImportedResponses:
        """Stores the rows of a CSV file, whose header names questions, as responses: all of them, or none."""
        return ImportedResponses.from_dict(self._send_csv(f"/surveys/{survey_id}/responses/", csv))
