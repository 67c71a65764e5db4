"""Hooks of Schemathesis: inserts the IDs of existing objects into requests, and filters failures.

Loaded by test/fuzz/schemathesis.toml. CANVASS_OBJECT_IDS contains the objects that scripts/fuzz/seed.ts created, as JSON: IDs by
path parameter. The first object of each kind is protected; the others may be deleted.
"""

import atexit
import json
import os
from collections import Counter

import schemathesis
from exclusions import EXCLUSIONS, STAND_IN, erased
from forms import body_of as generated_body
from forms import write_form
from schemathesis.core.parameters import ParameterLocation

OBJECTS = json.loads(os.environ.get("CANVASS_OBJECT_IDS", "{}"))
PROTECTED_COUNT = 1

# Members of bodies and queries that contain IDs or lists of IDs, with the path parameter of the same kind.
ID_MEMBERS = {
    "survey": "survey_id",
    "collector": "collector_id",
    "_collector": "collector_id",
    "template": "template_id",
    "contacts": "contact_id",
    "contact_list": "list_id",
    "response_ids": "response_id",
    "ids": "response_id",
    "group": "group_id",
}
# Operations that change the questions of a survey or delete a person. They are not called for protected objects.
CHANGING_OPERATIONS = ("updateStructure", "updateLanguages", "restoreVersion", "updateSettings", "setSurveyStatus", "eraseContact")


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_positive(case, location):
    component = case.meta.components.get(location) if case.meta else None
    return component is not None and component.mode.is_positive


def existing_id(name, value, deleting=False):
    """Replaces three of four IDs by that of an existing object. The choice depends only on the ID, so that a seed repeats its run."""
    ids = OBJECTS.get(name)
    if isinstance(value, list):
        return [existing_id(name, entry, deleting) for entry in value]
    if not ids or not is_id(value):
        return value
    protected, deletable = ids[:PROTECTED_COUNT], ids[PROTECTED_COUNT:]
    if deleting:
        return deletable[value % len(deletable)] if deletable and value % 4 else value
    return protected[value % len(protected)] if value % 4 else value


def insert_existing_ids(values, deleting):
    for member, name in ID_MEMBERS.items():
        if member in values:
            values[member] = existing_id(name, values[member], deleting)


def protect_objects(case):
    """Replaces the ID of a protected object in a request that would delete or change it."""
    path = case.path_parameters
    if not isinstance(path, dict) or not path:
        return
    changing = case.operation.definition.raw.get("operationId") in CHANGING_OPERATIONS
    if changing or (case.method.upper() == "DELETE" and case.operation.path.rstrip("/").endswith("}")):
        last = list(path)[-1]
        if str(path[last]).strip() in map(str, OBJECTS.get(last, [])[:PROTECTED_COUNT]):
            path[last] = STAND_IN


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    deleting = case.method.upper() == "DELETE"
    stateful = case.meta is not None and case.meta.phase.name.name.startswith("STATEFUL")
    path = case.path_parameters
    # The ID of a linked operation is already that of an existing object.
    if isinstance(path, dict) and path and not stateful and is_positive(case, ParameterLocation.PATH):
        last = list(path)[-1]
        for name, value in path.items():
            deletes_object = deleting and name == last and case.operation.path.rstrip("/").endswith("}")
            path[name] = existing_id(name, value, deletes_object or operation in CHANGING_OPERATIONS)
    protect_objects(case)
    if isinstance(case.body, dict) and not stateful and is_positive(case, ParameterLocation.BODY):
        insert_existing_ids(case.body, deleting)
    if isinstance(case.query, dict) and not stateful and is_positive(case, ParameterLocation.QUERY):
        insert_existing_ids(case.query, deleting)
    write_form(case)


# A file that receives a JSON line for each failure, excused or not.
LOG = os.environ.get("FUZZ_LOG")


def log_entry(failure, case, response, reason):
    return {
        "operation": case.operation.definition.raw.get("operationId"),
        "failure": type(failure).__name__,
        "excused": reason,
        "status": response.status_code,
        "media_type": case.media_type,
        "sent": repr(generated_body(case))[:300],
        "answer": response.text[:1500],
    }


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.definition.raw.get("operationId") == "eraseContact" and response.status_code == 200:
        erased.add(case.path_parameters["contact_id"])


excused = Counter()


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops a failure for which there is an exclusion."""
    reason = next((exclusion.__name__ for exclusion in EXCLUSIONS if exclusion(failure, case, response)), None)
    if LOG:
        with open(LOG, "a") as log:
            log.write(json.dumps(log_entry(failure, case, response, reason)) + "\n")
    if reason:
        excused[reason] += 1
    return reason is None


@atexit.register
def print_exclusions():
    for reason, count in excused.most_common():
        print(f"fuzz: excused {count} times: {reason}")


def body_of(response):
    try:
        return response.json()
    except ValueError:
        return None


@schemathesis.check
def server_error_is_specified(ctx, response, case):
    """Accepts status 500 only for `survey_error` of v2 with its pairs (docs/specification.md 7.8)."""
    if response.status_code != 500:
        return None
    body = body_of(response)
    assert isinstance(body, dict) and body.get("code") in ("survey_error", "server_error"), "A 500 without our code"
    if body["code"] == "survey_error":
        pairs = body.get("description")
        assert isinstance(pairs, list) and pairs and all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in pairs
        ), "survey_error without its pairs of question and message"
    return None
