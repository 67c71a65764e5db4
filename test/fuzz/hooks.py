"""What Schemathesis has to know of Canvass: which things there are, and which failures are none.

Loaded by test/fuzz/schemathesis.toml. CANVASS_THINGS holds what scripts/fuzz/seed.ts made, as JSON: ids by the name of
the path parameter; the first of each kind are to stay, the others may be deleted.
"""

import json
import os

import schemathesis
from exclusions import EXCLUSIONS
from schemathesis.core.parameters import ParameterLocation

THINGS = json.loads(os.environ.get("CANVASS_THINGS", "{}"))
STAYING = 2
NOBODY = 999_999_999


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_positive(case, location):
    component = case.meta.components.get(location) if case.meta else None
    return component is not None and component.mode.is_positive


def real(name, value, deleting):
    """Three of four ids become one of a thing that is there, always the same one: a seed repeats its run."""
    known = THINGS.get(name)
    if not known or not is_id(value):
        return value
    staying, spare = known[:STAYING], known[STAYING:]
    if deleting:
        return spare[value % len(spare)] if spare and value % 4 else (NOBODY if value in staying else value)
    return staying[value % len(staying)] if value % 4 else value


@schemathesis.hook
def before_call(context, case, kwargs):
    deleting = case.method.upper() == "DELETE"
    stateful = case.meta is not None and case.meta.phase.name.name == "STATEFUL_TESTING"
    path = case.path_parameters
    if isinstance(path, dict) and path:
        last = list(path)[-1]
        for name, value in path.items():
            ends = deleting and name == last and case.operation.path.rstrip("/").endswith("}")
            if stateful:
                # A link says which thing is meant; only what everybody reads must not go.
                if ends and value in THINGS.get(name, [])[:STAYING]:
                    path[name] = NOBODY
            elif is_positive(case, ParameterLocation.PATH):
                path[name] = real(name, value, ends)
    if isinstance(case.body, dict) and not stateful and is_positive(case, ParameterLocation.BODY):
        for member in ("survey", "collector"):
            if member in case.body:
                case.body[member] = real(f"{member}_id", case.body[member], False)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops a failure that stands in the list of exclusions, and nothing else."""
    return not any(excluded(failure, case, response) for excluded in EXCLUSIONS)


def body_of(response):
    try:
        return response.json()
    except ValueError:
        return None


@schemathesis.check
def server_error_is_specified(ctx, response, case):
    """The one 500 of the specification: `survey_error` of v2, only where the contract shows it, with its pairs."""
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
