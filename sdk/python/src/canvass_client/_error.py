from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, cast

import httpx

from ._error_codes import ErrorCode
from ._response import RateLimit, rate_limit_of


class FieldError(NamedTuple):
    """An invalid field of a request."""

    field: str
    """The invalid field: the name of a parameter, a member (``choices[0].label``), a question ID or a JSON pointer."""
    code: str | None
    """The stable code of the error, such as ``required``. None for ``survey_error`` of version 2 of the API."""
    message: str
    """Explains the error to a person."""


class CanvassError(Exception):
    """The base class of all errors of a call. The service returned an error, or there was no response."""

    status: int | None = None
    """The HTTP status; None if there was no response."""
    code: ErrorCode = "http_error"
    """The stable code of the error, such as ``survey_not_found``.

    If the response is not from Canvass, the code is ``http_error``.

    If this version of the package does not know the code, compare it as text: ``str(error.code) == "new_code"``.
    """
    message: str
    """Explains the error to a person."""
    field_errors: list[FieldError]
    """The invalid fields; empty if the error has none."""
    headers: httpx.Headers | None = None
    """The headers of the response; None if there was no response."""
    request_id: str | None = None
    """The ID of the request. Include it when you report a problem."""
    retry_after: float | None = None
    """Seconds to wait before the next attempt, if the response has ``Retry-After``."""
    rate_limit: RateLimit | None = None
    """The state of the rate limit, if the response contains it."""
    body: Any = None
    """The body of the response: parsed JSON, or text."""
    retries: int
    """The number of retries before this error."""
    maybe_applied: bool
    """Whether the service may have executed the request although the call failed.

    This is possible if an attempt was sent and its response did not arrive. If that attempt succeeded, a repeated
    DELETE gets 404, and a repeated PUT with ``if_match`` gets 412.
    """

    def __init__(self, message: str, *, retries: int = 0, maybe_applied: bool = False) -> None:
        self.message = message
        self.field_errors = []
        self.retries = retries
        self.maybe_applied = maybe_applied
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.status} {self.message}" if self.status else self.message


class BadRequestError(CanvassError):
    """400: a parameter, the body or an answer is not valid.

    Version 2 of the API reports invalid answers as ``survey_error`` with status 500. Such a response raises this error
    too.
    """


class AuthenticationError(CanvassError):
    """401: the credentials are missing, wrong or expired."""


class PermissionDeniedError(CanvassError):
    """403: your role or your token does not allow the operation."""


class NotFoundError(CanvassError):
    """404: the object does not exist, or you cannot see it."""


class ConflictError(CanvassError):
    """409: the request conflicts with the state of the object."""


class GoneError(CanvassError):
    """410: the cursor of the change feed is no longer valid."""


class PreconditionFailedError(CanvassError):
    """412: another request has changed the object, so its ETag is no longer the one in ``if_match``."""


class UnprocessableEntityError(CanvassError):
    """422: the idempotency key was already used for another request."""


class RateLimitError(CanvassError):
    """429: your account or IP address has reached a limit."""


class InternalServerError(CanvassError):
    """5xx: an error occurred in the service, or the service is unavailable."""


class APIConnectionError(CanvassError):
    """The response did not arrive, because the connection failed. ``__cause__`` is the error that httpx raised."""

    code: ErrorCode = "connection_failed"


class APITimeoutError(APIConnectionError):
    """The response did not arrive in time."""

    code: ErrorCode = "timeout"


CLASSES: dict[int, type[CanvassError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}


def error_of(response: httpx.Response, *, retries: int, maybe_applied: bool) -> CanvassError:
    """Returns the error for a response. The status and the code of the response determine the class of the error."""
    try:
        body = response.json()
    except ValueError:
        body = response.text
    members: dict[str, Any] = body if isinstance(body, dict) else {}
    fields = _field_errors(members.get("errors"), members.get("description"))
    listed = "; ".join(f"{one.field}: {one.message}" for one in fields)
    texts = [members.get("detail"), members.get("description"), listed, response.reason_phrase]
    message = next((one for one in texts if one and isinstance(one, str)), "")
    if response.is_success:
        message = f"the response is not from Canvass: {response.headers.get('content-type')}"
    error = _class_of(response, members)(message, retries=retries, maybe_applied=maybe_applied)
    code = members.get("code")
    error.status = response.status_code
    error.code = cast(ErrorCode, code) if isinstance(code, str) else "http_error"
    error.field_errors = fields
    error.headers = response.headers
    error.request_id = response.headers.get("x-request-id")
    error.retry_after = seconds_to_wait(response)
    error.rate_limit = rate_limit_of(response.headers)
    error.body = body
    return error


def _class_of(response: httpx.Response, members: dict[str, Any]) -> type[CanvassError]:
    if members.get("code") == "survey_error":
        return BadRequestError
    server_error = InternalServerError if response.is_server_error else CanvassError
    return CLASSES.get(response.status_code, server_error)


def _field_errors(errors: Any, description: Any) -> list[FieldError]:
    """Reads the invalid fields, which are objects, or pairs of field and message for ``survey_error`` of version 2."""
    objects = [
        FieldError(str(one.get("field")), code if isinstance(code := one.get("code"), str) else None, str(one.get("message")))
        for one in _list_of(errors)
        if isinstance(one, dict)
    ]
    pairs = [one for one in _list_of(description) if isinstance(one, list) and len(one) == 2]
    return objects + [FieldError(str(field), None, str(message)) for field, message in pairs]


def _list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def seconds_to_wait(response: httpx.Response) -> float | None:
    """Returns the value of ``Retry-After`` in seconds. The header contains seconds or a date (RFC 9110, 10.2.3)."""
    value = response.headers.get("retry-after", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
