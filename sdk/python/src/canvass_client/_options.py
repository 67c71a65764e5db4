from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from ._query import Condition


class CallOptions(TypedDict, total=False):
    """The options of one call."""

    timeout: float
    """Seconds without data after which an attempt fails, instead of those of the client."""
    max_retries: int
    """The maximum number of retries, instead of that of the client."""
    headers: Mapping[str, str]
    """Additional headers."""


class PostOptions(CallOptions, total=False):
    """The options of a call that creates something."""

    idempotency_key: str
    """The key of the call, under which the service executes it at most once in 24 hours.

    The package creates a key for each call and sends it with all its retries. With your own key, a call is also executed once
    if your program repeats it.
    """


class FilterOptions(CallOptions, total=False):
    """The options of a call with filters, and the names that its parameters had until 3.2.0."""

    filter_: str
    """Deprecated: use ``filter``."""
    meta_completed: Condition
    """Deprecated: use ``completed``."""
    meta_invite_code: Condition
    """Deprecated: use ``invite_code``."""
    meta_created_at: Condition
    """Deprecated: use ``created_at``."""
    meta_updated_at: Condition
    """Deprecated: use ``updated_at``."""


FORMER_NAMES = frozenset(FilterOptions.__annotations__) - frozenset(CallOptions.__annotations__)


class InternalOptions(PostOptions, total=False):
    """The options of a call, whatever its operation."""

    on_response: Callable[[Any], None]
    """Receives the ``Reply``, for ``with_response``."""
