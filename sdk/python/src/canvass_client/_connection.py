from __future__ import annotations

import time
from typing import Any

import httpx

from ._error import CanvassError, seconds_to_wait
from ._query import query_string

# The service did not process a request with such a status, so it is safe to repeat, whatever its method.
RETRYABLE_STATUSES = {429, 503}


class RequestPolicy:
    """Builds requests and decides on retries, for both the blocking and the async client."""

    def __init__(self, base: str, retries: int, max_retry_delay: float) -> None:
        self._base = base
        self._retries = retries
        self._max_retry_delay = max_retry_delay

    def build(self, http: httpx.Client | httpx.AsyncClient, request: dict[str, Any]) -> httpx.Request:
        """Builds the request from the arguments of a generated function."""
        arguments = dict(request)
        query = query_string(arguments.pop("params", {}))
        url = self._base + arguments.pop("url") + (f"?{query}" if query else "")
        return http.build_request(url=url, **arguments)

    def retry_delay(self, response: httpx.Response, attempts: int) -> float:
        """Returns the delay before the next attempt in seconds: ``Retry-After``, or 1, 2, 4 …

        Raises:
            CanvassError: The error is final, or the response is not from Canvass.
        """
        retry_after = seconds_to_wait(response)
        delay = 2.0**attempts if retry_after is None else retry_after
        if response.status_code not in RETRYABLE_STATUSES or attempts >= self._retries or delay > self._max_retry_delay:
            raise CanvassError(response)
        return delay


def is_reply(response: httpx.Response) -> bool:
    """Returns whether it is a successful response of the service. HTML is from a proxy or a wrong base address."""
    return response.is_success and not response.headers.get("content-type", "").startswith("text/html")


class Connection:
    """Sends requests with credentials and retries."""

    def __init__(self, http: httpx.Client, policy: RequestPolicy) -> None:
        self._http = http
        self._policy = policy

    def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """Sends the request that a generated function describes.

        Raises:
            CanvassError: The service returned an error, or the response is not from Canvass.
            httpx.TransportError: There was no response.
        """
        attempts = 0
        while True:
            response = self._http.send(self._policy.build(self._http, request), stream=stream)
            if is_reply(response):
                return response
            if stream:
                response.read()
                response.close()
            time.sleep(self._policy.retry_delay(response, attempts))
            attempts += 1
