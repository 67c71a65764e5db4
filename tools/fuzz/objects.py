"""Creates the objects that a request needs, so that the service does not reject the request with 404.

CANVASS_OBJECT_IDS is the result of seed.ts as JSON: IDs by the name of the path parameter. The first of each kind
is never deleted. An operation that deletes gets an object of its own, created immediately before the request.
"""

import json
import os
from base64 import b64decode
from itertools import count

import requests
from schemathesis.generation.meta import TestPhase

OBJECT_IDS = json.loads(os.environ.get("CANVASS_OBJECT_IDS", "{}"))
API = os.environ.get("CANVASS_API", "")
# The username, email, password and apiKey of the account that owns the objects.
ACCOUNT = json.loads(os.environ.get("CANVASS_ACCOUNT", "{}"))

numbers = count(1)
# The numbers of the requests that weight responses.
weightings = count(1)
session = requests.Session()
session.auth = (ACCOUNT.get("apiKey", ""), ACCOUNT.get("password", ""))


def is_example(case):
    return case.meta is not None and case.meta.phase.name is TestPhase.EXAMPLES


def is_coverage(case):
    return case.meta is not None and case.meta.phase.name is TestPhase.COVERAGE


def is_stateful(case):
    return case.meta is not None and case.meta.phase.name is TestPhase.STATEFUL


def first(name):
    return OBJECT_IDS[name][0]


def send(method, path, body=None, headers=None):
    reply = session.request(method, f"{API}{path}", json=body, headers=headers, timeout=20)
    return reply.json() if reply.ok else {}


def create(path, body):
    return send("POST", path, body).get("id")


def upload(path):
    """Uploads a workbook. Returns its key."""
    headers = {"content-type": "application/octet-stream"}
    reply = session.post(f"{API}{path}", data=b64decode(OBJECT_IDS["xlsform"]), headers=headers, timeout=20)
    return reply.json().get("key")


# The address and body of a new object by the name of its path parameter.
NEW_OBJECTS = {
    "survey_id": lambda path: ("/v3/surveys/", {"name": "Spare", "template": first("template_id")}),
    "response_id": lambda path: (f"/v3/surveys/{path['survey_id']}/responses/", {"q1": 1, "_completed": 1}),
    "report_id": lambda path: (f"/v3/surveys/{path['survey_id']}/reports/", {"title": "Spare"}),
    "category_id": lambda path: (f"/v3/surveys/{path['survey_id']}/coding/categories/", {"name": f"Spare {next(numbers)}"}),
    "rule_id": lambda path: (
        f"/v3/surveys/{first('survey_id')}/coding/rules/",
        {"contains": "spare", "category": first("category_id")},
    ),
    "collector_id": lambda path: ("/v3/collectors/", {"name": "Spare", "survey": path.get("survey_id", first("survey_id"))}),
    "contact_id": lambda path: ("/v3/contacts/", {"name": "Spare", "email": f"spare{next(numbers)}@example.org"}),
    "list_id": lambda path: ("/v3/contact-lists/", {"name": f"Spare {next(numbers)}"}),
    # Creating an embed can return an existing one of the survey.
    "embed_id": lambda path: ("/v3/embeds/", {"survey": create("/v3/surveys/", {"name": "Spare"}), "kind": "link"}),
    "template_id": lambda path: ("/v3/templates/", {"name": "Spare", "survey": first("survey_id")}),
    "hand_over_id": lambda path: (
        "/v3/hand-overs/",
        {"surveys": create("/v3/surveys/", {"name": "Spare"}), "email": f"heir{next(numbers)}@example.net"},
    ),
    "invitation_id": lambda path: (
        f"/v3/surveys/{path['survey_id']}/team/invitations/",
        {"email": f"colleague{next(numbers)}@example.net", "roles": "view"},
    ),
    "library_question_id": lambda path: ("/v3/question-library/", {"survey": first("survey_id"), "question": "q3"}),
    "comment_id": lambda path: (f"/v3/surveys/{path['survey_id']}/comments/", {"text": "Spare"}),
    "preview_link_id": lambda path: (f"/v3/surveys/{path['survey_id']}/preview-links/", {"label": "Spare"}),
    "group_id": lambda path: ("/v2/groups/", {"name": f"Spare{next(numbers)}"}),
    "email_id": lambda path: (
        f"/v2/emails/?survey={first('survey_id')}",
        {"subject": "Spare", "sender": "Ann <ann@example.org>", "message": "Please: [Invite Link]"},
    ),
    "webhook_id": lambda path: (
        "/v3/webhooks/",
        {"event": "response_complete", "subscription_url": f"https://hooks.example.com/spare/{next(numbers)}"},
    ),
}


def new_object(name, path):
    """Creates an object of the kind that a path parameter names. Adds a contact to the contact list in the path, if there is
    one. Returns the ID, or None if this kind of object cannot be created."""
    created = create(*NEW_OBJECTS[name](path)) if name in NEW_OBJECTS else None
    if name == "contact_id" and "list_id" in path:
        send("POST", f"/v3/contact-lists/{path['list_id']}/contacts/", {"id": str(created)})
    return created


def new_contact():
    return new_object("contact_id", {})
