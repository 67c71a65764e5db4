from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, ParamSpec, TypeVar, cast

from ._async_connection import AsyncConnection
from ._async_csv import async_csv_rows
from ._download import Download
from ._error import CanvassError
from ._operations import GeneratedFunctions, csv_request, file_request, workbook_request
from ._options import CallOptions, InternalOptions, PostOptions
from ._response import APIResponse, Reply
from ._retry import CONNECTION_ERRORS

P = ParamSpec("P")
T = TypeVar("T")


class AsyncOperationsBase(GeneratedFunctions):
    """The base class of the operations of version 2 and version 3 of the API."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def _call(self, name: str, arguments: Mapping[str, Any], options: CallOptions) -> Any:
        internal = cast(InternalOptions, options)
        reply = await self._connection.send(self._describe(name, arguments, options), internal)
        return self._read(name, reply, internal)

    async def with_response(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> APIResponse[T]:
        """Calls a method and returns its result with the status, headers and other properties of the response.

        ``(await canvass.v3.with_response(canvass.v3.get_survey, 14)).headers["ETag"]``
        """
        replies: list[Reply] = []
        data = await cast(Callable[..., Awaitable[T]], method)(*args, **kwargs, on_response=replies.append)
        return replies[-1].with_data(data)

    async def csv_bytes(self, survey_id: int, **query: Any) -> AsyncGenerator[bytes, None]:
        """Streams the CSV export in chunks. Accepts the same arguments as ``export_csv``.

        If the connection breaks, the download continues where it stopped, provided that the file has not changed. At the
        end, another request checks that the file is whole, because some proxies hide that a connection broke.

        Raises:
            APIConnectionError: The connection broke, and the file has changed in the meantime.
        """
        described, options = self._export(survey_id, query)
        response = (await self._connection.send(described, options, stream=True)).response
        download = Download(response)
        while True:
            try:
                download.assert_rest(response)
                async for chunk in response.aiter_bytes():
                    download.received += len(chunk)
                    yield chunk
                if download.shows_end(response):
                    return
                rest = download.check(described)
            except CONNECTION_ERRORS as error:
                rest = download.rest(described, error)
            finally:
                await response.aclose()
            try:
                response = (await self._connection.send(rest, options, stream=True)).response
            except CanvassError as error:
                if download.has_all(error):
                    return
                raise
            if download.cannot_check(response):
                await response.aclose()
                return

    async def csv_rows(self, survey_id: int, **query: Any) -> AsyncGenerator[list[str], None]:
        """Yields the rows of the CSV export.

        The first row is the header. Does not support ``tab_separated``.
        """
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

    async def _send_csv(self, url: str, csv: str | bytes, options: PostOptions) -> Any:
        return (await self._connection.send(csv_request(url, csv), cast(InternalOptions, options))).response.json()

    async def _send_file(self, url: str, content: bytes, params: dict[str, str], options: PostOptions) -> Any:
        described = file_request(url, content, params)
        return (await self._connection.send(described, cast(InternalOptions, options))).response.json()

    async def _send_workbook(self, url: str, workbook: bytes, options: PostOptions) -> Any:
        described = workbook_request(url, workbook)
        return (await self._connection.send(described, cast(InternalOptions, options))).response.json()
