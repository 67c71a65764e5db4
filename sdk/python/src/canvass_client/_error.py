from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import httpx


class Place(NamedTuple):
    """One place that is wrong, and why."""

    place: str
    """A parameter, a member (``choices[0].label``), a question id or a JSON pointer."""
    message: str


class CanvassError(Exception):
    """A request that the service refused; the same for both versions."""

    status: int
    """The HTTP status."""
    code: str
    """What is wrong, for a program: ``survey_not_found``. ``http_error`` when the answer was not Canvass's."""
    message: str
    """What is wrong, for a person."""
    places: list[Place]
    """Every place that is wrong, where the refusal names places."""
    request_id: str | None
    """Quote it when you report a fault."""
    retry_after: float | None
    """Seconds to wait before the next try, where the service says so."""
    body: Any
    """The body of the answer: what its JSON says, or its text."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        try:
            self.body = response.json()
        except ValueError:
            self.body = response.text
        said: dict[str, Any] = self.body if isinstance(self.body, dict) else {}
        self.places = _places(said.get("errors"), said.get("description"))
        listed = "; ".join(f"{place}: {message}" for place, message in self.places)
        given = [said.get("detail"), said.get("description"), listed, response.reason_phrase]
        code = said.get("code")
        self.code = code if isinstance(code, str) else "http_error"
        self.message = next((one for one in given if one and isinstance(one, str)), "")
        if response.is_success:
            self.message = f"this is no answer of Canvass, but {response.headers.get('content-type')}"
        self.request_id = response.headers.get("x-request-id")
        self.retry_after = seconds_to_wait(response)
        super().__init__(f"{self.status} {self.message}")


def _places(errors: Any, description: Any) -> list[Place]:
    """The places that version 3 or version 2 names; none where what stands between us and the service refused."""
    named = [(one.get("field"), one.get("message")) for one in _listed(errors) if isinstance(one, dict)]
    paired = [tuple(one) for one in _listed(description) if isinstance(one, list) and len(one) == 2]
    return [Place(str(place), str(message)) for place, message in named + paired]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def seconds_to_wait(response: httpx.Response) -> float | None:
    """``Retry-After`` in seconds, given as such or as a date (RFC 9110, 10.2.3)."""
    given = response.headers.get("retry-after", "").strip()
    if given.isdigit():
        return float(given)
    try:
        return max(0.0, (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
