from __future__ import annotations

from typing import Unpack

from ._async_connection import AsyncConnection
from ._options import PostOptions
from .v2.async_lists import AsyncLists
from .v2.async_operations import AsyncOperations
from .v2.models import ImportedResponses


class AsyncV2(AsyncOperations):
    """Version 2 of the API. Every operation is a method."""

    paginate: AsyncLists
    """Iterators over all pages of a list."""

    def __init__(self, connection: AsyncConnection) -> None:
        super().__init__(connection)
        self.paginate = AsyncLists(self)

    async def import_responses(self, survey_id: int, csv: str | bytes, **options: Unpack[PostOptions]) -> ImportedResponses:
        """Imports the rows of a CSV file as responses.

        If a row is invalid, no row is imported. The header must contain question IDs.
        """
        return ImportedResponses.from_dict(await self._send_csv(f"/surveys/{survey_id}/responses/", csv, options))
