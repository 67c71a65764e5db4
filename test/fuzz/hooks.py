"""Tells Schemathesis which objects exist, and which failures to ignore.

Loaded by test/fuzz/schemathesis.toml. CANVASS_OBJECT_IDS is the result of scripts/fuzz/seed.ts as JSON: ids by the name of
the path parameter. The first of each kind is never deleted.
"""

import atexit
import json
import os
from collections import Counter
from itertools import count

import schemathesis
from exclusions import EXCLUSIONS, REFUSALS, STAND_IN, erased, used_codes
from forms import body_of as generated_body
from forms import write_form
from schemathesis.core.parameters import ParameterLocation

# A workbook is sent as it is.
schemathesis.serializer.alias("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/octet-stream")

OBJECT_IDS = json.loads(os.environ.get("CANVASS_OBJECT_IDS", "{}"))
STAYING = 1

# Members of bodies and queries that contain an ID or a list of IDs, and the path parameter of the same kind.
NAMES = {
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
# Operations that change how a survey is answered, or erase a person: never on the first object of a kind.
CHANGING = ("updateStructure", "publishDraft", "updateLanguages", "restoreVersion", "updateSettings", "setSurveyStatus", "eraseContact")


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_positive(case, location):
    component = case.meta.components.get(location) if case.meta else None
    return component is not None and component.mode.is_positive


def real(name, value, deleting=False):
    """Replaces three of four IDs by the ID of an existing object, always the same one for the same value, so that a seed repeats its run."""
    known = OBJECT_IDS.get(name)
    if isinstance(value, list):
        return [real(name, each, deleting) for each in value]
    if not known or not is_id(value):
        return value
    staying, spare = known[:STAYING], known[STAYING:]
    if deleting:
        return spare[value % len(spare)] if spare and value % 4 else value
    return staying[value % len(staying)] if value % 4 else value


def use_existing_ids(values, deleting):
    for member, name in NAMES.items():
        if member in values:
            values[member] = real(name, values[member], deleting)


def protect_first_objects(case):
    """Replaces the ID of an object that other requests need, wherever it came from."""
    path = case.path_parameters
    if not isinstance(path, dict) or not path:
        return
    changing = case.operation.definition.raw.get("operationId") in CHANGING
    if changing or (case.method.upper() == "DELETE" and case.operation.path.rstrip("/").endswith("}")):
        last = list(path)[-1]
        if str(path[last]).strip() in map(str, OBJECT_IDS.get(last, [])[:STAYING]):
            path[last] = STAND_IN


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Replaces the schemas of authored structures by those that the engine uses (x-request-schema). The coverage phase would make
    17,000 requests for one operation from the whole schemas. Replies keep the whole schemas."""
    schemas = raw_schema["components"]["schemas"]
    for name, schema in schemas.items():
        if schema.get("type") == "object":
            schemas[name] = schema.get("x-request-schema", schema)


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    deleting = case.method.upper() == "DELETE"
    stateful = case.meta is not None and case.meta.phase.name.name.startswith("STATEFUL")
    path = case.path_parameters
    # In stateful tests, a link provides the ID.
    if isinstance(path, dict) and path and not stateful and is_positive(case, ParameterLocation.PATH):
        last = list(path)[-1]
        for name, value in path.items():
            ends = deleting and name == last and case.operation.path.rstrip("/").endswith("}")
            path[name] = real(name, value, ends or operation in CHANGING)
    protect_first_objects(case)
    if isinstance(case.body, dict) and not stateful and is_positive(case, ParameterLocation.BODY):
        use_existing_ids(case.body, deleting)
    if isinstance(case.query, dict) and not stateful and is_positive(case, ParameterLocation.QUERY):
        use_existing_ids(case.query, deleting)
    if isinstance(case.query, dict):
        choose_one(case.query)
    if case.headers:
        satisfy_conditions(case.headers)
    write_form(case)


# Query parameters that exclude each other.
ALTERNATIVES = (("survey", "collector"), ("contacts", "contact_list"), ("tab_separated", "comma_separated"))


def choose_one(query):
    """Omits one of two query parameters that exclude each other, in three of four requests: otherwise most would be rejected."""
    for first, second in ALTERNATIVES:
        if first in query and second in query and next(requests) % 4:
            del query[second]


requests = count()


def satisfy_conditions(headers):
    """Makes each Idempotency-Key unique, and three of four values of If-Match match: otherwise most requests would not be executed."""
    for name, value in headers.items():
        if name.lower() == "idempotency-key" and 0 < len(value) <= 200:
            headers[name] = f"{value}-{next(requests)}"
        elif name.lower() == "if-match" and len(value) % 4:
            headers[name] = "*"


# The file for a line of JSON for each failure, ignored or not, with the reason.
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
    """Ignores failures in the list of exclusions."""
    reason = next((excluded.__name__ for excluded in EXCLUSIONS if excluded(failure, case, response)), None)
    if LOG:
        with open(LOG, "a") as log:
            log.write(json.dumps(log_entry(failure, case, response, reason)) + "\n")
    if reason:
        excused[reason] += 1
    return reason is None


@atexit.register
def print_excused():
    for reason, count in excused.most_common():
        print(f"fuzz: excused {count} times: {reason}")
    unused = [each["code"] for each in REFUSALS if each["code"] not in used_codes]
    unused += [each.__name__ for each in EXCLUSIONS if each.__name__ not in excused]
    print(f"fuzz: unused: {' '.join(unused)}")


def body_of(response):
    try:
        return response.json()
    except ValueError:
        return None


@schemathesis.check
def server_error_is_specified(ctx, response, case):
    """The only 500 that is not a failure: `survey_error` of v2 with its pairs (docs/specification.md 7.8)."""
    if response.status_code != 500:
        return None
    body = body_of(response)
    assert isinstance(body, dict) and body.get("code") in ("survey_error", "server_error"), "500 without an expected code"
    if body["code"] == "survey_error":
        pairs = body.get("description")
        assert isinstance(pairs, list) and pairs and all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in pairs
        ), "survey_error without pairs of question and message"
    return None
