from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from ._async_connection import AsyncConnection
from ._async_csv import async_csv_rows
from ._operations import GeneratedFunctions, csv_request


class AsyncOperationsBase(GeneratedFunctions):
    """The base of the operations of both versions."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._read(name, await self._connection.send(self._describe(name, arguments)))

    async def csv_bytes(self, survey_id: int, **query: Any) -> AsyncGenerator[bytes, None]:
        """Streams the CSV export in chunks; accepts the arguments of ``export_csv``."""
        response = await self._connection.send(self._export(survey_id, query), stream=True)
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        finally:
            await response.aclose()

    async def csv_rows(self, survey_id: int, **query: Any) -> AsyncGenerator[list[str], None]:
        """Yields the rows of the CSV export, the header first. Does not support ``tab_separated``."""
        # Closes the connection if the caller stops early.
        async with aclosing(self.csv_bytes(survey_id, **query)) as chunks:
            async for row in async_csv_rows(chunks):
                yield row

    async def csv_records(self, survey_id: int, **query: Any) -> AsyncGenerator[dict[str, str], None]:
        """Yields the rows of the CSV export as dictionaries. Does not support ``tab_separated``."""
        header: list[str] | None = None
        async with aclosing(self.csv_rows(survey_id, **query)) as rows:
            async for row in rows:
                if header is None:
                    header = row
                else:
                    yield dict(zip(header, row, strict=False))

    async def _send_csv(self, url: str, csv: str | bytes) -> Any:
        return (await self._connection.send(csv_request(url, csv))).json()
