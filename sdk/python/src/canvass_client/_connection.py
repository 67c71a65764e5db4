from __future__ import annotations

import time
from typing import Any

import httpx

from ._error import CanvassError, seconds_to_wait
from ._query import query_string

# A request that was turned away at the door was not done: it may be sent again, whatever its method.
TURNED_AWAY = {429, 503}


class Connection:
    """Sends requests as one account, waiting where it is asked to."""

    def __init__(self, http: httpx.Client, base: str, retries: int, longest_wait: float) -> None:
        self._http = http
        self._base = base
        self._retries = retries
        self._longest_wait = longest_wait

    def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """Sends a request as a generated function describes it; waits 1, 2, 4 … seconds when nothing says how long.

        Raises:
            CanvassError: It was refused, or answered by something that is not Canvass.
            httpx.TransportError: There was no answer.
        """
        described = dict(request)
        query = query_string(described.pop("params", {}))
        url = self._base + described.pop("url") + (f"?{query}" if query else "")
        tries = 0
        while True:
            response = self._http.send(self._http.build_request(url=url, **described), stream=stream)
            # A page in HTML is what a proxy shows, or the wrong address.
            ours = not response.headers.get("content-type", "").startswith("text/html")
            if response.is_success and ours:
                return response
            if stream:
                response.read()
                response.close()
            given = seconds_to_wait(response)
            wait = 2**tries if given is None else given
            if response.status_code not in TURNED_AWAY or tries >= self._retries or wait > self._longest_wait:
                raise CanvassError(response)
            time.sleep(wait)
            tries += 1
