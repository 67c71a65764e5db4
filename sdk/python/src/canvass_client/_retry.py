from __future__ import annotations

import random
from uuid import uuid4

import httpx

from ._error import APIConnectionError, APITimeoutError, BadRequestError, CanvassError, error_of

# The first delay is at most this long, and the maximum doubles with each retry.
FIRST_DELAY_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 8.0

# After these statuses a retry is safe: the request was not executed, or the idempotency key prevents a second
# execution.
RETRYABLE_STATUSES = {408, 429, 500, 502, 503, 504}

# Errors of connections after which another attempt can succeed.
CONNECTION_ERRORS = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)
# Errors of connections that were never established, so that the request was not sent.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def new_idempotency_key() -> str:
    """Returns a key for a call and all its retries."""
    return str(uuid4())


class Attempts:
    """Counts the attempts of one call, and decides whether there is another one."""

    def __init__(self, method: str, max_retries: int, max_retry_delay: float) -> None:
        self.retries = 0
        self._writes = method.upper() != "GET"
        self._maybe_applied = False
        self._max_retries = max_retries
        self._max_retry_delay = max_retry_delay

    def delay_after_error(self, error: httpx.TransportError, request: httpx.Request) -> float:
        """Returns the delay before the next attempt in seconds, after there was no response.

        Raises:
            APIConnectionError: There are no attempts left.
        """
        self._maybe_applied |= self._writes and not isinstance(error, NOT_SENT)
        if self.retries >= self._max_retries:
            timed_out = isinstance(error, httpx.TimeoutException)
            text = f"{'No data' if timed_out else 'No response'} from {request.url.netloc.decode()}: {error}"
            kind = APITimeoutError if timed_out else APIConnectionError
            raise kind(text, retries=self.retries, maybe_applied=self._maybe_applied) from error
        return self._next(0)

    def delay_after(self, response: httpx.Response) -> float:
        """Returns the delay before the next attempt in seconds, after an error response.

        Raises:
            CanvassError: The error is final, or the response is not from Canvass.
        """
        status = response.status_code
        self._maybe_applied |= self._writes and status >= 500 and status != 503
        error = error_of(response, retries=self.retries, maybe_applied=self._maybe_applied)
        delay = self._next(error.retry_after or 0)
        if not is_retryable(error) or error.retries >= self._max_retries or delay > self._max_retry_delay:
            raise error
        return delay

    def _next(self, minimum: float) -> float:
        """Counts a retry, and returns a random delay, so that clients that failed together do not retry together."""
        backoff = random.random() * min(MAX_BACKOFF_SECONDS, FIRST_DELAY_SECONDS * 2**self.retries)
        self.retries += 1
        return max(min(backoff, self._max_retry_delay), minimum)


def is_retryable(error: CanvassError) -> bool:
    """Returns whether another attempt can succeed. Invalid answers in version 2 have the status of a server error."""
    if error.status == 409:
        return error.code == "request_in_progress"
    return error.status in RETRYABLE_STATUSES and not isinstance(error, BadRequestError)


def is_reply(response: httpx.Response) -> bool:
    """Returns whether a response is a success of the service. HTML is from a proxy or a wrong base address."""
    return response.is_success and not response.headers.get("content-type", "").startswith("text/html")
