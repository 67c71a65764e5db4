from __future__ import annotations

from ._connection import Connection
from .v3.lists import Lists
from .v3.models import ImportedContacts
from .v3.operations import Operations


class V3(Operations):
    """Version 3: every operation is a method."""

    each: Lists
    """The paged lists, item by item over all their pages."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.each = Lists(self)

    def import_contacts(self, csv: str | bytes) -> ImportedContacts:
        """Brings contacts in from a CSV file: all of them, or none."""
        return ImportedContacts.from_dict(self._send_csv("/contacts/csv/", csv))
