from __future__ import annotations

import os
from importlib.metadata import version
from types import TracebackType

import httpx

from ._connection import Connection, Manners
from ._credentials import authorization_of
from ._v2 import V2
from ._v3 import V3


def base_of(given: str | None) -> str:
    """Where the service is, as the caller or the environment says.

    Raises:
        ValueError: Neither says it.
    """
    base = (given or os.environ.get("CANVASS_URL", "")).rstrip("/")
    if not base:
        raise ValueError("Say where Canvass is: base_url, or CANVASS_URL in the environment")
    return base


def headers_of(authorization: str) -> dict[str, str]:
    """Who is calling, and with what."""
    agent = f"canvass-client-python/{version('canvass-client')} httpx/{httpx.__version__}"
    return {"Authorization": authorization, "User-Agent": agent}


class Canvass:
    """A connection to one Canvass, as one account.

    Operations are methods, named as in the reference: ``canvass.v3.list_surveys()``. A refusal is raised as a
    ``CanvassError``. Close it when you are done, or use it in a ``with`` statement.
    """

    v2: V2
    """Version 2 of the interface."""
    v3: V3
    """Version 3 of the interface."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        username: str | None = None,
        password: str | None = None,
        api_key: str | None = None,
        token: str | None = None,
        retries: int = 3,
        longest_wait: float = 60,
        timeout: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Credentials are an access token, or two of user name (or e-mail), password and API key.

        What is not given is looked for in the environment: CANVASS_URL, CANVASS_USERNAME, CANVASS_PASSWORD,
        CANVASS_API_KEY, CANVASS_TOKEN.

        Args:
            base_url: Where the service is, as ``https://survey.example.org``.
            retries: Tries after the first one when the service answers 429 or 503; 0 for none.
            longest_wait: The longest wait between two tries, in seconds. Who is told to wait longer gets the error.
            timeout: Seconds without a sign of life after which a request fails with ``httpx.TimeoutException``.
            transport: Another way to send requests, for a proxy or a test.

        Raises:
            ValueError: Nothing says where the service is, or who is calling.
        """
        base = base_of(base_url)
        self._http = httpx.Client(
            headers=headers_of(authorization_of(username, password, api_key, token)),
            timeout=timeout,
            transport=transport,
        )
        self.v2 = V2(Connection(self._http, Manners(f"{base}/api/v2", retries, longest_wait)))
        self.v3 = V3(Connection(self._http, Manners(f"{base}/api/v3", retries, longest_wait)))

    def close(self) -> None:
        """Closes the lines to the service."""
        self._http.close()

    def __enter__(self) -> Canvass:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
