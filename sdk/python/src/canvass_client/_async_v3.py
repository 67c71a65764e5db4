from __future__ import annotations

from ._async_connection import AsyncConnection
from .v3.async_lists import AsyncLists
from .v3.async_operations import AsyncOperations
from .v3.models import ImportedContacts


class AsyncV3(AsyncOperations):
    """Version 3: every operation is a method."""

    each: AsyncLists
    """The paged lists, item by item over all their pages."""

    def __init__(self, connection: AsyncConnection) -> None:
        super().__init__(connection)
        self.each = AsyncLists(self)

    async def import_contacts(self, csv: str | bytes) -> ImportedContacts:
        """Brings contacts in from a CSV file: all of them, or none."""
        return ImportedContacts.from_dict(await self._send_csv("/contacts/csv/", csv))
