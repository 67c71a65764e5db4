from __future__ import annotations

import random
from uuid import uuid4

import httpx

from ._error import APIConnectionError, APITimeoutError, BadRequestError, CanvassError, error_of

# Maximum of the first delay. The maximum doubles with each retry, up to MAX_BACKOFF_SECONDS.
FIRST_DELAY_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 8.0

# Statuses after which a retry is safe, because the request was not executed or the idempotency key prevents a second
# execution.
RETRYABLE_STATUSES = {408, 429, 500, 502, 503, 504}
# Codes of 409 after which a retry can succeed. The service has changed nothing for the request.
RETRYABLE_CONFLICTS = {"request_in_progress", "busy"}

# Errors after which another attempt can succeed.
CONNECTION_ERRORS = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)
# Errors that occur before a connection is established, so that the request was not sent.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def new_idempotency_key() -> str:
    """Returns a new key. A call and all its retries have the same key."""
    return str(uuid4())


class Attempts:
    """Counts the attempts of one call, and decides whether to make another attempt."""

    def __init__(self, method: str, max_retries: int, max_retry_delay: float) -> None:
        self.retries = 0
        self._writes = method.upper() != "GET"
        self._maybe_applied = False
        self._max_retries = max_retries
        self._max_retry_delay = max_retry_delay

    def delay_after_error(self, error: httpx.TransportError, request: httpx.Request) -> float:
        """Returns the delay before the next attempt in seconds, if there was no response.

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
        """Returns the delay before the next attempt in seconds, if the response was an error.

        Raises:
            CanvassError: There are no attempts left, or a retry cannot succeed.
        """
        status = response.status_code
        self._maybe_applied |= self._writes and status >= 500 and status != 503
        error = error_of(response, retries=self.retries, maybe_applied=self._maybe_applied)
        delay = self._next(error.retry_after or 0)
        if not is_retryable(error) or error.retries >= self._max_retries or delay > self._max_retry_delay:
            raise error
        return delay

    def _next(self, minimum: float) -> float:
        """Counts a retry, and returns the delay before it.

        The delay is random, so that clients whose requests failed at the same time do not retry at the same time.
        """
        backoff = random.random() * min(MAX_BACKOFF_SECONDS, FIRST_DELAY_SECONDS * 2**self.retries)
        self.retries += 1
        return max(min(backoff, self._max_retry_delay), minimum)


def is_retryable(error: CanvassError) -> bool:
    """Returns whether another attempt can succeed.

    Another attempt cannot succeed after invalid answers, although version 2 of the API reports them with status 500.
    """
    if error.status == 409:
        return error.code in RETRYABLE_CONFLICTS
    return error.status in RETRYABLE_STATUSES and not isinstance(error, BadRequestError)


def is_reply(response: httpx.Response) -> bool:
    """Returns whether a response is a successful response of the service.

    A successful response with HTML is not from the service: a proxy sent it, or the base URL is wrong.
    """
    return response.is_success and not response.headers.get("content-type", "").startswith("text/html")
