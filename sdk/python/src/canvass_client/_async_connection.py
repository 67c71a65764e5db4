from __future__ import annotations

import asyncio
from typing import Any

import httpx

from ._connection import RequestPolicy
from ._options import InternalOptions
from ._response import Reply
from ._retry import CONNECTION_ERRORS, is_reply


class AsyncConnection:
    """Sends requests without blocking. Adds the credentials and retries failed requests."""

    def __init__(self, http: httpx.AsyncClient, policy: RequestPolicy) -> None:
        self._http = http
        self._policy = policy

    async def send(self, described: dict[str, Any], options: InternalOptions, *, stream: bool = False) -> Reply:
        """Sends the request that a generated function describes.

        Raises:
            CanvassError: The service returned an error, there was no response, or the response is not from Canvass.
        """
        request = self._policy.build(self._http, described, options)
        attempts = self._policy.attempts(request, options)
        while True:
            try:
                response = await self._http.send(request, stream=stream)
                if is_reply(response):
                    return Reply(response, attempts.retries)
                await response.aread()
            except CONNECTION_ERRORS as error:
                delay = attempts.delay_after_error(error, request)
            else:
                await response.aclose()
                delay = attempts.delay_after(response)
            await asyncio.sleep(delay)
