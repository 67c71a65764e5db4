from __future__ import annotations

from types import TracebackType

import httpx

from ._async_connection import AsyncConnection
from ._async_v2 import AsyncV2
from ._async_v3 import AsyncV3
from ._canvass import policies_of
from ._credentials import authorization_of


class AsyncCanvass:
    """An async client for one Canvass service and one account, with the same methods as ``Canvass``.

    Examples: ``await canvass.v3.list_surveys()``, ``async for survey in canvass.v3.paginate.list_surveys()``. Close the
    client when you are done, or use it in an ``async with`` statement.
    """

    v2: AsyncV2
    """Version 2 of the API."""
    v3: AsyncV3
    """Version 3 of the API."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        username: str | None = None,
        password: str | None = None,
        api_key: str | None = None,
        token: str | None = None,
        max_retries: int = 3,
        retries: int | None = None,
        max_retry_delay: float = 60,
        timeout: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Accepts the same arguments and environment variables as ``Canvass``.

        Raises:
            ValueError: The address or the credentials are missing.
        """
        policy2, policy3 = policies_of(base_url, max_retries if retries is None else retries, max_retry_delay)
        authorization = authorization_of(username, password, api_key, token)
        self._http = httpx.AsyncClient(headers={"Authorization": authorization}, timeout=timeout, transport=transport)
        self.v2 = AsyncV2(AsyncConnection(self._http, policy2))
        self.v3 = AsyncV3(AsyncConnection(self._http, policy3))

    async def close(self) -> None:
        """Closes the connections to the service."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncCanvass:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
