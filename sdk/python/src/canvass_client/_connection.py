from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import httpx

from ._options import InternalOptions
from ._query import query_string
from ._response import Reply
from ._retry import CONNECTION_ERRORS, Attempts, is_reply, new_idempotency_key


@dataclass(frozen=True)
class RequestPolicy:
    """Builds the requests to one version of the API, for the blocking client and the async client."""

    base: str
    user_agent: str
    max_retries: int
    max_retry_delay: float

    def build(
        self, http: httpx.Client | httpx.AsyncClient, described: dict[str, Any], options: InternalOptions
    ) -> httpx.Request:
        """Builds the request of a call from the arguments that a generated function returns.

        Each attempt of the call sends this request.
        """
        arguments = dict(described)
        query = query_string(arguments.pop("params", {}))
        url = self.base + arguments.pop("url") + (f"?{query}" if query else "")
        headers = {"User-Agent": self.user_agent, **arguments.pop("headers", {})}
        if arguments["method"].upper() == "POST":
            headers["Idempotency-Key"] = options.get("idempotency_key") or new_idempotency_key()
        headers.update(options.get("headers", {}))
        timeout = options.get("timeout", httpx.USE_CLIENT_DEFAULT)
        return http.build_request(url=url, headers=headers, timeout=timeout, **arguments)

    def attempts(self, request: httpx.Request, options: InternalOptions) -> Attempts:
        return Attempts(request.method, options.get("max_retries", self.max_retries), self.max_retry_delay)


class Connection:
    """Sends requests. Adds the credentials and retries failed requests."""

    def __init__(self, http: httpx.Client, policy: RequestPolicy) -> None:
        self._http = http
        self._policy = policy

    def send(self, described: dict[str, Any], options: InternalOptions, *, stream: bool = False) -> Reply:
        """Sends the request that a generated function describes.

        Raises:
            CanvassError: The service returned an error, there was no response, or the response is not from Canvass.
        """
        request = self._policy.build(self._http, described, options)
        attempts = self._policy.attempts(request, options)
        while True:
            try:
                response = self._http.send(request, stream=stream)
                if is_reply(response):
                    return Reply(response, attempts.retries)
                response.read()
            except CONNECTION_ERRORS as error:
                delay = attempts.delay_after_error(error, request)
            else:
                response.close()
                delay = attempts.delay_after(response)
            time.sleep(delay)
