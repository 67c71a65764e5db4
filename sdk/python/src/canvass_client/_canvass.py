from __future__ import annotations

import os
from importlib.metadata import version
from types import TracebackType

import httpx

from ._connection import Connection, RequestPolicy
from ._credentials import authorization_of
from ._v2 import V2
from ._v3 import V3
from .v2.operations import API_VERSION as API_VERSION_2
from .v3.operations import API_VERSION as API_VERSION_3


def base_of(base_url: str | None) -> str:
    """Returns the address of the service from the argument or the environment.

    Raises:
        ValueError: The address is neither in the argument nor in the environment.
    """
    base = (base_url or os.environ.get("CANVASS_URL", "")).rstrip("/")
    if not base:
        raise ValueError("Set base_url, or CANVASS_URL in the environment, to the address of Canvass")
    return base


def policies_of(base_url: str | None, max_retries: int, max_retry_delay: float) -> tuple[RequestPolicy, RequestPolicy]:
    """Returns the request policies of version 2 and version 3.

    Raises:
        ValueError: The address is missing.
    """
    base = base_of(base_url)
    agent = f"canvass-client-python/{version('canvass-client')} canvass-api/%s httpx/{httpx.__version__}"
    return (
        RequestPolicy(f"{base}/api/v2", agent % API_VERSION_2, max_retries, max_retry_delay),
        RequestPolicy(f"{base}/api/v3", agent % API_VERSION_3, max_retries, max_retry_delay),
    )


class Canvass:
    """A client for one Canvass service and one account.

    Each operation is a method with the name in the API reference: ``canvass.v3.list_surveys()``. If a call fails, it
    raises a ``CanvassError``. Close the client when you are done, or use it in a ``with`` statement.
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
        max_retries: int = 3,
        retries: int | None = None,
        max_retry_delay: float = 60,
        timeout: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Creates a client.

        The credentials are an access token, or any two of username (or email), password and API key.

        If ``base_url`` is missing, it is read from the environment variable CANVASS_URL. If all credentials are
        missing, they are read from CANVASS_USERNAME, CANVASS_PASSWORD, CANVASS_API_KEY and CANVASS_TOKEN.

        Args:
            base_url: The address of the service: ``https://survey.example.org``.
            max_retries: The maximum number of retries of a call.
            retries: Deprecated, use ``max_retries``.
            max_retry_delay: The maximum delay before a retry in seconds. If the service requests a longer delay with
                ``Retry-After``, the error is raised without a retry.
            timeout: The time in seconds after which an attempt fails if no data arrives.
            transport: A custom transport, for a proxy or a test.

        Raises:
            ValueError: The address or the credentials are missing.
        """
        policy2, policy3 = policies_of(base_url, max_retries if retries is None else retries, max_retry_delay)
        authorization = authorization_of(username, password, api_key, token)
        self._http = httpx.Client(headers={"Authorization": authorization}, timeout=timeout, transport=transport)
        self.v2 = V2(Connection(self._http, policy2))
        self.v3 = V3(Connection(self._http, policy3))

    def close(self) -> None:
        """Closes the connections to the service."""
        self._http.close()

    def __enter__(self) -> Canvass:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
