from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import httpx


class FieldError(NamedTuple):
    """An invalid field of a request."""

    field: str
    """A parameter, a member (``choices[0].label``), a question ID or a JSON pointer."""
    code: str | None
    """The stable code of the error: ``required``. None for ``survey_error`` of version 2."""
    message: str
    """Explains the error to a person."""


class CanvassError(Exception):
    """An error response of the service, for both versions."""

    status: int
    """The HTTP status."""
    code: str
    """The stable code of the error: ``survey_not_found``. ``http_error`` if the response is not from Canvass."""
    message: str
    """Explains the error to a person."""
    field_errors: list[FieldError]
    """The invalid fields; empty if the error has none."""
    request_id: str | None
    """The ID of the request. Include it when you report a problem."""
    retry_after: float | None
    """Seconds to wait before the next attempt, if the response has ``Retry-After``."""
    body: Any
    """The body of the response: parsed JSON, or text."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        try:
            self.body = response.json()
        except ValueError:
            self.body = response.text
        error: dict[str, Any] = self.body if isinstance(self.body, dict) else {}
        self.field_errors = _field_errors(error.get("errors"), error.get("description"))
        listed = "; ".join(f"{one.field}: {one.message}" for one in self.field_errors)
        texts = [error.get("detail"), error.get("description"), listed, response.reason_phrase]
        code = error.get("code")
        self.code = code if isinstance(code, str) else "http_error"
        self.message = next((one for one in texts if one and isinstance(one, str)), "")
        if response.is_success:
            self.message = f"the response is not from Canvass: {response.headers.get('content-type')}"
        self.request_id = response.headers.get("x-request-id")
        self.retry_after = seconds_to_wait(response)
        super().__init__(f"{self.status} {self.message}")


def _field_errors(errors: Any, description: Any) -> list[FieldError]:
    """Reads the invalid fields: objects, or pairs of field and message for ``survey_error`` of version 2."""
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
    """Returns ``Retry-After`` in seconds; the header has seconds or a date (RFC 9110, 10.2.3)."""
    value = response.headers.get("retry-after", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
