from __future__ import annotations

import time
from typing import Any

import httpx

from ._error import CanvassError, seconds_to_wait
from ._query import query_string

# A request that was turned away at the door was not done: it may be sent again, whatever its method.
TURNED_AWAY = {429, 503}


class Manners:
    """How requests are written, and how patiently they are sent; the same whether they block or not."""

    def __init__(self, base: str, retries: int, longest_wait: float) -> None:
        self._base = base
        self._retries = retries
        self._longest_wait = longest_wait

    def written(self, http: httpx.Client | httpx.AsyncClient, request: dict[str, Any]) -> httpx.Request:
        """A request as a generated function describes it."""
        described = dict(request)
        query = query_string(described.pop("params", {}))
        url = self._base + described.pop("url") + (f"?{query}" if query else "")
        return http.build_request(url=url, **described)

    def wait_after(self, response: httpx.Response, tries: int) -> float:
        """Seconds until the next try after a refusal that was read: 1, 2, 4 … when nothing says how long.

        Raises:
            CanvassError: It is final, or it did not come from Canvass.
        """
        given = seconds_to_wait(response)
        wait = 2.0**tries if given is None else given
        if response.status_code not in TURNED_AWAY or tries >= self._retries or wait > self._longest_wait:
            raise CanvassError(response)
        return wait


def answers(response: httpx.Response) -> bool:
    """Whether it is what was asked for. A page in HTML is what a proxy shows, or the wrong address."""
    return response.is_success and not response.headers.get("content-type", "").startswith("text/html")


class Connection:
    """Sends requests as one account, waiting where it is asked to."""

    def __init__(self, http: httpx.Client, manners: Manners) -> None:
        self._http = http
        self._manners = manners

    def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """Sends a request as a generated function describes it.

        Raises:
            CanvassError: It was refused, or answered by something that is not Canvass.
            httpx.TransportError: There was no answer.
        """
        tries = 0
        while True:
            response = self._http.send(self._manners.written(self._http, request), stream=stream)
            if answers(response):
                return response
            if stream:
                response.read()
                response.close()
            time.sleep(self._manners.wait_after(response, tries))
            tries += 1
