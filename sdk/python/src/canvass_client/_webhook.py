from __future__ import annotations

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping

# Seconds by which a message may be older or newer than now; a replayed one is older.
TOLERANCE = 300


def is_genuine(secret: str, headers: Mapping[str, str], body: bytes | str) -> bool:
    """Whether a message to your webhook comes from the service, and came just now (Standard Webhooks).

    Args:
        secret: What ``create_webhook`` or ``subscribe_webhook`` gave, ``whsec_…``.
        headers: Those of the request, in whatever case.
        body: Exactly as it came in, before anything parsed it.
    """
    named = {name.lower(): value for name, value in headers.items()}
    message_id, sent = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not message_id or not sent.isdecimal() or abs(time.time() - int(sent)) > TOLERANCE:
        return False
    given = body.encode() if isinstance(body, str) else body
    key = b64decode(secret.removeprefix("whsec_"))
    right = hmac.digest(key, f"{message_id}.{sent}.".encode() + given, "sha256")
    expected = b"v1," + b64encode(right)
    parts = named.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, part.encode()) for part in parts)
