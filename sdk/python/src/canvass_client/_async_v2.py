from __future__ import annotations

from ._async_connection import AsyncConnection
from .v2.async_lists import AsyncLists
from .v2.async_operations import AsyncOperations
from .v2.models import ImportedResponses


class AsyncV2(AsyncOperations):
    """Version 2: every operation is a method."""

    each: AsyncLists
    """The paged lists, item by item over all their pages."""

    def __init__(self, connection: AsyncConnection) -> None:
        super().__init__(connection)
        self.each = AsyncLists(self)

    async def import_responses(self, survey_id: int, csv: str | bytes) -> ImportedResponses:
        """Stores the rows of a CSV file, whose header names questions, as responses: all of them, or none."""
        return ImportedResponses.from_dict(await self._send_csv(f"/surveys/{survey_id}/responses/", csv))
