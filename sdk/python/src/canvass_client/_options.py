from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from ._query import Condition


class CallOptions(TypedDict, total=False):
    """The options of one call."""

    timeout: float
    """The time in seconds after which an attempt fails if no data arrives. Overrides the option of the client."""
    max_retries: int
    """The maximum number of retries. Overrides the option of the client."""
    headers: Mapping[str, str]
    """Additional headers."""


class PostOptions(CallOptions, total=False):
    """The options of a call that uses the method POST."""

    idempotency_key: str
    """The idempotency key. Within 24 hours, the service executes calls with the same key only once.

    By default, the package creates a key for each call, and sends this key with every retry of the call. If your
    program itself repeats a call, pass the same key each time, so that the call is executed only once.
    """


class FilterOptions(CallOptions, total=False):
    """The options of a call with filters, and the names that its parameters had until version 3.2.0 of the package."""

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
    """The options of a call of any operation."""

    on_response: Callable[[Any], None]
    """Is called with the ``Reply``. ``with_response`` sets this option."""
