from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

T = TypeVar("T")


@dataclass(frozen=True)
class RateLimit:
    """The state of a rate limit, from the headers ``RateLimit`` and ``RateLimit-Policy``."""

    policy: str
    """The name of the policy."""
    remaining: int
    """The number of requests that are left."""
    reset: int | None
    """Seconds until requests become available again."""
    limit: int | None
    """The number of requests that the policy allows in its window."""
    window: int | None
    """The window of the policy in seconds."""


@dataclass(frozen=True)
class APIResponse(Generic[T]):
    """The result of a call, with the status, headers and other properties of the response."""

    data: T
    """The value that the call returns without ``with_response``."""
    status: int
    """The HTTP status."""
    headers: httpx.Headers
    """The headers of the response, such as ``ETag``."""
    request_id: str | None
    """The ID of the request."""
    rate_limit: RateLimit | None
    """The state of the rate limit, if the response contains it."""
    retries: int
    """The number of retries before this response."""


@dataclass(frozen=True)
class Reply:
    """A successful response."""

    response: httpx.Response
    retries: int

    def with_data(self, data: T) -> APIResponse[T]:
        headers = self.response.headers
        request_id = headers.get("x-request-id")
        return APIResponse(data, self.response.status_code, headers, request_id, rate_limit_of(headers), self.retries)


def _items(header: str) -> list[tuple[str, dict[str, int]]]:
    """Reads a list of strings with integer parameters, as in ``"account";r=50;t=30`` (RFC 9651)."""
    items = re.findall(r'"([^"]*)"((?:\s*;\s*[a-z]+=[^;,\s]+)*)', header)
    return [(name, {key: int(value) for key, value in re.findall(r"([a-z]+)=(\d+)", rest)}) for name, rest in items]


def rate_limit_of(headers: httpx.Headers) -> RateLimit | None:
    """Returns the rate limit with the fewest requests left; None if the response contains no rate limit."""
    states = [(name, state) for name, state in _items(headers.get("ratelimit", "")) if "r" in state]
    if not states:
        return None
    name, state = min(states, key=lambda one: one[1]["r"])
    policy = dict(_items(headers.get("ratelimit-policy", ""))).get(name, {})
    return RateLimit(name, state["r"], state.get("t"), policy.get("q"), policy.get("w"))
