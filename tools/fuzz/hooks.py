"""Tells Schemathesis which objects exist, and which failures to ignore.

Loaded by schemathesis.toml. The first object of each kind is never deleted.
"""

import atexit
import json
import os
import re
from base64 import b64decode
from collections import Counter
from copy import deepcopy
from itertools import count
from random import Random

import schemathesis
from exclusions import EXCLUSIONS, RANDOM, REFUSALS, used_codes
from existing import begin_scenario, choose_one, created_ids, is_positive, remember_removed, remember_survey, replace_last, use_existing, use_existing_path, use_existing_texts
from forms import body_of as generated_body
from forms import write_form
from objects import OBJECT_IDS, is_coverage, is_example, is_stateful
from preparations import PREPARATIONS
from provocations import REUSED_KEY, provoke
from schemathesis.cli.commands.run import warnings
from schemathesis.core.parameters import ParameterLocation
from schemathesis.transport.serialization import serialize_binary

@schemathesis.serializer("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/octet-stream")
def file(context, value):
    """Returns a workbook or an image instead of most files that were generated as valid, because no generated file is
    a workbook or an image."""
    data = serialize_binary(value)
    is_valid = context.case.meta is not None and context.case.meta.generation.mode.is_positive
    operation = context.case.operation.definition.raw["operationId"]
    name = {"createImage": "image", "importSurvey": "moved", "previewImport": "moved"}.get(operation, "xlsform")
    return b64decode(OBJECT_IDS[name]) if is_valid and sum(data) % 4 != 3 else data


has_validation_mismatch = warnings.StatusCodeStatistic.should_warn_about_validation_mismatch


def has_validation_mismatch_of_many(statistic):
    """Ignores the warning validation_mismatch after only a few requests, because a run of limited time tests each
    operation several times with few requests. Schemathesis itself applies this minimum to the warning
    low_valid_rate."""
    return statistic.total >= warnings.MIN_CALLS_FOR_VALID_RATE and has_validation_mismatch(statistic)


warnings.StatusCodeStatistic.should_warn_about_validation_mismatch = has_validation_mismatch_of_many

# The operation and phase of the last request, and the modes (valid, invalid) of the requests so far with this operation
# and phase.
current = None
modes = set()
random = Random(0)


def is_first(case):
    """Whether this is the first valid, or the first invalid, request of an operation in a phase. Schemathesis sends the requests of
    an operation in sequence, except in the stateful phase."""
    global current
    if case.meta is None or is_stateful(case):
        return False
    here, mode = (case.operation.label, case.meta.phase.name), case.meta.generation.mode
    if here != current:
        current = here
        modes.clear()
    first = mode not in modes
    modes.add(mode)
    return first


def use_example(case):
    """Replaces the generated body by the example in the contract."""
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {}).get(case.media_type, {})
    if "example" in content:
        case.body = deepcopy(content["example"])


# The number of texts (of survey pages) whose names the fuzzing uses. One of them is `progress`, which has placeholders.
MAX_TEXTS = 9


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Replaces the schemas of structures by the smaller schemas with which the server validates requests (x-request-schema).
    From the full schemas, the coverage phase would generate 17,000 requests for one operation. Replies keep the full
    schemas."""
    schemas = raw_schema["components"]["schemas"]
    for name, schema in schemas.items():
        if schema.get("type") == "object":
            schemas[name] = schema.get("x-request-schema", schema)
    # A file of one line can be parsed as JSON, and Schemathesis then compares the object with the schema of a file.
    for path in raw_schema["paths"].values():
        for operation in (value for value in path.values() if isinstance(value, dict)):
            for reply in operation["responses"].values():
                reply.get("content", {}).get("application/x-ndjson", {}).pop("schema", None)
    # Keeps only some names of texts, because all texts have the same rules. With all names, the coverage phase would make 2,700
    # requests.
    if "TextChanges" in schemas:
        texts = schemas["TextChanges"]
        texts["properties"] = dict(list(texts["properties"].items())[:MAX_TEXTS])


@schemathesis.hook
def after_load_schema(context, schema):
    """Prevents Schemathesis from using values of earlier replies. With such values, a repeated scenario can send other
    requests, and Hypothesis then ends the stateful phase early. `use_what_exists` sends IDs of existing objects instead."""
    schema.create_extra_data_source = lambda: None


@schemathesis.hook
def before_call(context, case, kwargs):
    if is_stateful(case):
        begin_scenario()
    first = is_first(case)
    if first and case.meta.generation.mode.is_positive:
        use_example(case)
    # Without existing objects, most requests would get 404. The stateful phase always uses them, because it ends early if
    # repeated requests get different replies.
    uses_existing = first or is_example(case) or is_stateful(case) or random.random() < 0.75
    if uses_existing:
        use_what_exists(case, kwargs)
    # A generated If-Match would hide other errors, because the service compares If-Match before it validates the rest.
    if uses_existing or (case.meta and not case.meta.generation.mode.is_positive):
        match_always(case.headers or {})
    # Provocations replace requests of the coverage phase, because it has enough requests of each operation.
    if uses_existing and not first and is_coverage(case) and case.meta.generation.mode.is_positive:
        provoke(case)
    replace_last(case)
    make_keys_unique(case.headers or {})
    write_form(case)


def use_what_exists(case, kwargs):
    # After a list in the query is replaced, Schemathesis treats the query as invalid. Validity is therefore determined
    # before the replacement.
    is_valid = case.meta is not None and all(each.mode.is_positive for each in case.meta.components.values())
    if isinstance(case.path_parameters, dict) and case.path_parameters and is_positive(case, ParameterLocation.PATH):
        use_existing_path(case)
    if isinstance(case.body, dict) and is_positive(case, ParameterLocation.BODY):
        use_existing(case, case.body)
    if isinstance(case.query, dict) and is_positive(case, ParameterLocation.QUERY):
        use_existing(case, case.query)
        use_existing_texts(case.query)
        choose_one(case.query)
    preparation = PREPARATIONS.get(case.operation.definition.raw["operationId"].removesuffix("Alias"))
    if preparation and is_valid:
        preparation(case, kwargs)


def match_always(headers):
    for name in headers:
        if name.lower() == "if-match":
            headers[name] = "*"


keys = count()


def make_keys_unique(headers):
    """Makes each Idempotency-Key unique. With a repeated key, the service would repeat the reply to an earlier request."""
    for name, value in headers.items():
        if name.lower() == "idempotency-key" and 0 < len(value) <= 200 and value != REUSED_KEY:
            headers[name] = f"{value}-{next(keys)}"


# The log file. It gets a line of JSON for each failure. If the failure is ignored, the line contains the reason.
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
    """Records which objects occur in replies and which objects were removed."""
    if response.status_code < 300 and case.method.upper() != "DELETE":
        for text, number in re.findall(r'"id": ?(?:"([^"\\]{1,64})"|(\d{1,15})\b)', response.content[:10_000].decode("utf-8", "replace")):
            created_ids.add(text or int(number))
        remember_survey(case, body_of(response))
    remember_removed(case, response.status_code)


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
    """Prints the used and the unused exclusions for fuzz.ts. An exclusion that is used with no version of the API must be
    removed."""
    for reason, count in excused.most_common():
        print(f"fuzz: excused {count} times: {reason}")
    unused = [each["code"] for each in REFUSALS if each["code"] not in used_codes]
    unused += [each.__name__ for each in EXCLUSIONS if each.__name__ not in excused and each not in RANDOM]
    print(f"fuzz: unused: {' '.join(unused)}")


def body_of(response):
    try:
        return response.json()
    except ValueError:
        return None


@schemathesis.check
def server_error_is_specified(ctx, response, case):
    """Fails for a reply with status 500 if its code is neither `survey_error` nor `server_error`, or if a
    `survey_error` has no pairs of question and message (docs/specification.md 7.8). Other checks report
    `server_error`."""
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
