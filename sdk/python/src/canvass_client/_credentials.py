from __future__ import annotations

import os
from base64 import b64encode


def authorization_of(username: str | None, password: str | None, api_key: str | None, token: str | None) -> str:
    """Returns the header ``Authorization``.

    With an access token, the scheme is Bearer (RFC 6750). Otherwise it is Basic (RFC 7617) in UTF-8.

    Reads the environment only if all arguments are missing, so that credentials of two accounts are never combined.

    Raises:
        ValueError: The credentials are incomplete.
    """
    if not (username or password or api_key or token):
        names = ("CANVASS_USERNAME", "CANVASS_PASSWORD", "CANVASS_API_KEY", "CANVASS_TOKEN")
        username, password, api_key, token = (os.environ.get(name) for name in names)
    if token:
        return f"Bearer {token}"
    name, secret = username or api_key, password or api_key
    if not name or not secret or name == secret:
        raise ValueError("Credentials must be a token, or two of username, password and api_key")
    return "Basic " + b64encode(f"{name}:{secret}".encode()).decode()
