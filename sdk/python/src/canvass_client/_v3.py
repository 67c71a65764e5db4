from __future__ import annotations

from typing import Unpack

from ._connection import Connection
from ._options import PostOptions
from .v3.lists import Lists
from .v3.models import ConvertedXlsform, Image, ImportedContacts, ImportedSurvey, ImportPreview, UploadedFile
from .v3.operations import Operations


class V3(Operations):
    """Version 3 of the API. Every operation is a method."""

    paginate: Lists
    """Iterators over all pages of a list."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.paginate = Lists(self)

    def import_contacts(self, csv: str | bytes, **options: Unpack[PostOptions]) -> ImportedContacts:
        """Imports contacts from a CSV file. If a row is invalid, no row is imported."""
        return ImportedContacts.from_dict(self._send_csv("/contacts/csv/", csv, options))

    def convert_xlsform(self, workbook: bytes, **options: Unpack[PostOptions]) -> ConvertedXlsform:
        """Converts an XLSForm (.xlsx) to a survey structure, and lists the parts that could not be converted."""
        return ConvertedXlsform.from_dict(self._send_workbook("/xlsform/", workbook, options))

    def import_survey(
        self, content: bytes, *, name: str | None = None, **options: Unpack[PostOptions]
    ) -> ImportedSurvey:
        """Imports a survey of another tool with its responses: a file, or a ZIP archive of several files."""
        params = {} if name is None else {"name": name}
        return ImportedSurvey.from_dict(self._send_file("/imports/", content, params, options))

    def preview_import(self, content: bytes, **options: Unpack[PostOptions]) -> ImportPreview:
        """Returns what an import would create and leave out. Stores nothing."""
        return ImportPreview.from_dict(self._send_file("/imports/preview/", content, {}, options))

    def create_file(
        self, survey_id: int, content: bytes, *, question: str, name: str, **options: Unpack[PostOptions]
    ) -> UploadedFile:
        """Uploads a file for an answer to a question. To submit the answer, send the `key` of the file."""
        params = {"question": question, "name": name}
        return UploadedFile.from_dict(self._send_file(f"/surveys/{survey_id}/files/", content, params, options))

    def create_image(self, survey_id: int, content: bytes, **options: Unpack[PostOptions]) -> Image:
        """Uploads an image for the choices of a survey. Structures refer to the image by its `url`."""
        return Image.from_dict(self._send_file(f"/surveys/{survey_id}/images/", content, {}, options))
