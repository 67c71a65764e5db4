"""Verification of webhook messages (Standard Webhooks)."""

from __future__ import annotations

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping

# The maximum age of a message; older messages can be replays.
TOLERANCE_SECONDS = 300


def verify(secret: str, headers: Mapping[str, str], body: bytes | str) -> bool:
    """Verifies the signature and the age of a webhook message.

    Args:
        secret: The secret from ``create_webhook`` or ``subscribe_webhook``, ``whsec_…``.
        headers: The headers of the request, with names in upper or lower case.
        body: The unparsed body.

    Returns:
        Whether the service sent the message within the last five minutes.
    """
    named = {name.lower(): value for name, value in headers.items()}
    message_id, sent = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not message_id or not sent.isdecimal() or abs(time.time() - int(sent)) > TOLERANCE_SECONDS:
        return False
    content = body.encode() if isinstance(body, str) else body
    key = b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{message_id}.{sent}.".encode() + content, "sha256")
    expected = b"v1," + b64encode(digest)
    parts = named.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, part.encode()) for part in parts)
