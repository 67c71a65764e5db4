from __future__ import annotations

import os
from importlib.metadata import version
from types import TracebackType

import httpx

from ._connection import Connection, RequestPolicy
from ._credentials import authorization_of
from ._v2 import V2
from ._v3 import V3


def base_of(base_url: str | None) -> str:
    """Returns the address of the service from the argument or the environment.

    Raises:
        ValueError: Both are missing.
    """
    base = (base_url or os.environ.get("CANVASS_URL", "")).rstrip("/")
    if not base:
        raise ValueError("Set base_url, or CANVASS_URL in the environment, to the address of Canvass")
    return base


def headers_of(authorization: str) -> dict[str, str]:
    """Returns the headers for credentials and user agent."""
    agent = f"canvass-client-python/{version('canvass-client')} httpx/{httpx.__version__}"
    return {"Authorization": authorization, "User-Agent": agent}


class Canvass:
    """A client for one Canvass service and one account.

    Operations are methods, named as in the reference: ``canvass.v3.list_surveys()``. Error responses are raised as
    ``CanvassError``. Close the client when you are done, or use it in a ``with`` statement.
    """

    v2: V2
    """Version 2 of the API."""
    v3: V3
    """Version 3 of the API."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        username: str | None = None,
        password: str | None = None,
        api_key: str | None = None,
        token: str | None = None,
        retries: int = 3,
        max_retry_delay: float = 60,
        timeout: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Creates a client. Credentials are an access token, or two of username (or email), password and API key.

        Defaults are read from the environment: CANVASS_URL, CANVASS_USERNAME, CANVASS_PASSWORD, CANVASS_API_KEY,
        CANVASS_TOKEN.

        Args:
            base_url: The address of the service: ``https://survey.example.org``.
            retries: The maximum number of retries after 429 or 503.
            max_retry_delay: The maximum delay before a retry in seconds. If ``Retry-After`` is longer, the error is
                raised.
            timeout: Seconds without data after which a request fails with ``httpx.TimeoutException``.
            transport: A custom transport, for a proxy or a test.

        Raises:
            ValueError: The address or the credentials are missing.
        """
        base = base_of(base_url)
        self._http = httpx.Client(
            headers=headers_of(authorization_of(username, password, api_key, token)),
            timeout=timeout,
            transport=transport,
        )
        self.v2 = V2(Connection(self._http, RequestPolicy(f"{base}/api/v2", retries, max_retry_delay)))
        self.v3 = V3(Connection(self._http, RequestPolicy(f"{base}/api/v3", retries, max_retry_delay)))

    def close(self) -> None:
        """Closes the connections to the service."""
        self._http.close()

    def __enter__(self) -> Canvass:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
