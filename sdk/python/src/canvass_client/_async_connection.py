from __future__ import annotations

import asyncio
from typing import Any

import httpx

from ._connection import RequestPolicy, is_reply


class AsyncConnection:
    """Sends requests with credentials and retries, without blocking."""

    def __init__(self, http: httpx.AsyncClient, policy: RequestPolicy) -> None:
        self._http = http
        self._policy = policy

    async def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """Sends the request that a generated function describes.

        Raises:
            CanvassError: The service returned an error, or the response is not from Canvass.
            httpx.TransportError: There was no response.
        """
        attempts = 0
        while True:
            response = await self._http.send(self._policy.build(self._http, request), stream=stream)
            if is_reply(response):
                return response
            if stream:
                await response.aread()
                await response.aclose()
            await asyncio.sleep(self._policy.retry_delay(response, attempts))
            attempts += 1
