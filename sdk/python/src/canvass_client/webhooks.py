"""Verification and parsing of webhook messages (Standard Webhooks)."""

from __future__ import annotations

import hmac
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qsl

from .v3.models import ContactCreate, ReportCreate, ResponseComplete, SurveyCreate

# The maximum age of a message. Older messages are rejected, because an attacker may have recorded and resent them.
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


class WebhookVerificationError(Exception):
    """Raised if the signature of a message is wrong, if the message is too old, or if its event is unknown."""


@dataclass(frozen=True)
class _Message:
    id: str
    """The header ``webhook-id``.

    The same message can arrive more than once, so ignore messages whose ID your program has already received.
    """
    timestamp: datetime
    """The time when the message was sent."""


@dataclass(frozen=True)
class ResponseCompleteEvent(_Message):
    """A response was completed. ``data["meal"]`` is the answer to the question ``meal``."""

    data: ResponseComplete
    type: Literal["response_complete"] = "response_complete"


@dataclass(frozen=True)
class SurveyCreateEvent(_Message):
    """A survey was created."""

    data: SurveyCreate
    type: Literal["survey_create"] = "survey_create"


@dataclass(frozen=True)
class ReportCreateEvent(_Message):
    """A report was created."""

    data: ReportCreate
    type: Literal["report_create"] = "report_create"


@dataclass(frozen=True)
class ContactCreateEvent(_Message):
    """A contact was created."""

    data: ContactCreate
    type: Literal["contact_create"] = "contact_create"


WebhookEvent: TypeAlias = ResponseCompleteEvent | SurveyCreateEvent | ReportCreateEvent | ContactCreateEvent
"""A webhook message. The value of ``type`` determines the class of the message."""

# The members of the body by which the event of a message is recognised, because no signed header names the event.
# `response_complete` is tested first: its body also contains answers by question ID, and a question ID can be a member
# of another entry, such as `email`.
EVENTS: list[tuple[Any, Any, set[str]]] = [
    (ResponseCompleteEvent, ResponseComplete, {"_id", "_key", "_created_at", "score"}),
    (SurveyCreateEvent, SurveyCreate, {"survey_creator_name", "survey_url"}),
    (ReportCreateEvent, ReportCreate, {"report_url", "survey_url"}),
    (ContactCreateEvent, ContactCreate, {"name", "email"}),
]


def unwrap(body: bytes | str, headers: Mapping[str, str], secret: str | Sequence[str]) -> WebhookEvent:
    """Verifies a webhook message and parses its body.

    Args:
        body: The unparsed body.
        headers: The headers of the request, with names in upper or lower case.
        secret: The secret from ``create_webhook`` or ``subscribe_webhook``, ``whsec_…``; a list with the old and the
            new secret while a secret is being replaced.

    Raises:
        WebhookVerificationError: The service did not send the message within the last five minutes.
    """
    secrets = [secret] if isinstance(secret, str) else secret
    if not any(verify(one, headers, body) for one in secrets):
        raise WebhookVerificationError("The signature or the time of the message is not valid")
    named = {name.lower(): value for name, value in headers.items()}
    text = body if isinstance(body, str) else body.decode()
    # A form begins with the name of a member.
    data = json.loads(text) if text.startswith("{") else dict(parse_qsl(text, keep_blank_values=True))
    sent = datetime.fromtimestamp(int(named["webhook-timestamp"]), UTC)
    for event, model, members in EVENTS:
        if members <= data.keys():
            parsed: WebhookEvent = event(named["webhook-id"], sent, model.from_dict(data))
            return parsed
    raise WebhookVerificationError("The event of the message is unknown. Use a newer version of the package.")
