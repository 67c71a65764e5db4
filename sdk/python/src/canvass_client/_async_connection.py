from __future__ import annotations

import asyncio
from typing import Any

import httpx

from ._connection import Manners, answers


class AsyncConnection:
    """Sends requests as one account without blocking, waiting where it is asked to."""

    def __init__(self, http: httpx.AsyncClient, manners: Manners) -> None:
        self._http = http
        self._manners = manners

    async def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """Sends a request as a generated function describes it.

        Raises:
            CanvassError: It was refused, or answered by something that is not Canvass.
            httpx.TransportError: There was no answer.
        """
        tries = 0
        while True:
            response = await self._http.send(self._manners.written(self._http, request), stream=stream)
            if answers(response):
                return response
            if stream:
                await response.aread()
                await response.aclose()
            await asyncio.sleep(self._manners.wait_after(response, tries))
            tries += 1
