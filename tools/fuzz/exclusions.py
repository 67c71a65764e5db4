"""Failures of Schemathesis that are not errors, each with its reason. Fix the server or the contract first; add as few as possible."""

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import forms
import jsonschema_rs
from existing import removed, surveys_of_collectors
from schemathesis.core.parameters import ParameterLocation


# Rejections of data that matches the contract. They depend on the state of the service, or on a rule that OpenAPI cannot
# describe. Each entry has the error code, the operations or methods, the sections of docs/specification.md, and the reason.
REFUSALS = json.loads((Path(__file__).parent / "refusals.json").read_text())
used_codes = set()


def body_of(response):
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def operation_id(case):
    """Returns the ID of an operation. An operation with a second path (an alias) has the same exclusions at both paths."""
    return case.operation.definition.raw.get("operationId").removesuffix("Alias")


def specified_500(failure, case, response):
    """Version 2 rejects invalid answers with 500 `survey_error` (docs/specification.md 7.8). 500 `server_error` is a
    failure."""
    return type(failure).__name__ in ("ServerError", "AcceptedNegativeData") and response.status_code == 500 and is_expected(case, response)


def errors_of(body):
    errors = body.get("errors")
    return errors if isinstance(errors, list) else []


def refused_by_state(failure, case, response):
    """Data that matches the contract was rejected with codes that refusals.json lists for the operation."""
    return type(failure).__name__ == "RejectedPositiveData" and is_expected(case, response)


def is_expected(case, response):
    body, operation, method = body_of(response), operation_id(case), case.method.upper()
    codes = {each["code"] for each in errors_of(body)} if body.get("code") == "invalid_request" else {body.get("code")}
    listed = {each["code"] for each in REFUSALS if operation in each.get("operations", []) or method in each.get("methods", [])}
    if not codes or not codes <= listed:
        return False
    used_codes.update(codes)
    return True


def schema_of(case):
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    return content.get(case.media_type, {}).get("schema")


def validator_of(case, schema):
    """Returns a validator that is independent of the generator of the request."""
    return jsonschema_rs.Draft202012Validator({**schema, "components": case.operation.schema.raw_schema["components"]}, validate_formats=True)


def parts_of(case):
    """Returns the schema of a body and its subschemas."""
    todo, found = [schema_of(case)], []
    while todo:
        schema = todo.pop()
        found.append(schema)
        if "$ref" in schema:
            todo.append(case.operation.schema.raw_schema["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]])
        todo += schema.get("allOf", []) + schema.get("anyOf", []) + schema.get("oneOf", [])
        todo += [schema[word] for word in ("if", "then", "else") if isinstance(schema.get(word), dict)]
    return found


def fits_member(case):
    """Returns a function that tells whether a value is valid for a member of the body."""
    parts = parts_of(case)

    @cache
    def validators(name):
        described = [part["properties"][name] for part in parts if isinstance(part.get("properties", {}).get(name), dict)]
        for part in parts:
            described += [schema for pattern, schema in part.get("patternProperties", {}).items() if re.search(pattern, name)]
        if not described:
            described = [part["additionalProperties"] for part in parts if isinstance(part.get("additionalProperties"), dict)]
        return [validator_of(case, schema) for schema in described]

    return lambda name, value: any(admits(validator, value) for validator in validators(name))


def admits(validator, value):
    """A value that is not JSON, such as a text that Schemathesis marks as encoded, is never valid."""
    try:
        return validator.is_valid(value)
    except ValueError:
        return False


def body_fits(case, response):
    """Whether an independent validator accepts the body in at least one way in which the server can read it. In a form,
    every value is a text: a list of one item is sent as the item, an empty list is not sent, and 0, 1, yes, no, on and
    off can be flags. In JSON, a text can also be read as a number or a flag."""
    body, schema = forms.body_of(case), schema_of(case)
    # Schemathesis does not validate files.
    if isinstance(body, bytes):
        return len(body) > 0
    if not isinstance(body, dict) or schema is None:
        return False
    validator = validator_of(case, schema)
    read = forms.all_json_readings if "json" in str(case.media_type) else forms.all_readings
    return any(admits(validator, reading) for reading in read(body, fits_member(case)))


def query_fits(case, response):
    """Whether each parameter of the query is valid in at least one way in which the server can read it: `1`, `yes`,
    `on` and an empty value as true, `0`, `no` and `off` as false, and a single value as a list. Undeclared parameters
    and empty optional numbers are ignored."""
    declared = {each.name: each.definition for each in case.operation.iter_parameters() if each.location == ParameterLocation.QUERY}

    def fits(name, texts):
        if name not in declared:
            return True
        if texts == [""] and declared[name]["schema"].get("type") == "integer" and not declared[name].get("required"):
            return True
        validator = validator_of(case, declared[name]["schema"])
        return any(admits(validator, reading) for reading in forms.query_readings(texts))

    sent = parse_qs(urlsplit(response.request.url).query, keep_blank_values=True)
    return all(fits(name, texts) for name, texts in sent.items())


def headers_fit(case, response):
    """Whether each declared header was valid when it was sent. Before that, hooks.py can change generated headers, and the
    credentials replace generated credentials."""
    declared = {each.name.lower(): each.definition for each in case.operation.iter_parameters() if each.location == ParameterLocation.HEADER}
    sent = {name.lower(): value for name, value in response.request.headers.items()}
    return all(admits(validator_of(case, each["schema"]), sent[name]) for name, each in declared.items() if name in sent)


FITS = {ParameterLocation.BODY: body_fits, ParameterLocation.QUERY: query_fits, ParameterLocation.HEADER: headers_fit}


def fits_after_all(failure, case, response):
    """The server accepted a request that was generated as invalid, but each of its invalid parts was valid once it was encoded
    and sent."""
    if type(failure).__name__ != "AcceptedNegativeData" or case.meta is None:
        return False
    wrong = [place for place, component in case.meta.components.items() if not component.mode.is_positive]
    return len(wrong) > 0 and all(place in FITS and FITS[place](case, response) for place in wrong)


def something_else_is_missing(failure, case, response):
    """A request got 404 because an object in its body or query does not exist. Schemathesis expects success, because it has
    created the object in the path."""
    code = str(body_of(response).get("code", ""))
    return (
        type(failure).__name__ == "EnsureResourceAvailability"
        and code.endswith("_not_found")
        and f"{code.removesuffix('_not_found')}_id" not in case.path_parameters
    )


def survey_was_deleted(failure, case, response):
    """A request for a collector got 404, because the survey of the collector was deleted in the meantime."""
    survey = surveys_of_collectors.get(case.path_parameters.get("collector_id"))
    return (
        type(failure).__name__ == "EnsureResourceAvailability"
        and body_of(response).get("code") == "collector_not_found"
        and survey is not None
        and ("survey_id", survey) in removed
    )


def collection_remains(failure, case, response):
    """A collection is still available after a DELETE, because a DELETE of a collection removes only some of its
    entries, such as one member of a group."""
    return type(failure).__name__ == "UseAfterFree" and re.search(r"/[a-z_-]+/$", urlsplit(failure.free.split(" ")[-1]).path) is not None


def line_too_long(failure, case, response):
    """Node.js replies with 431 to a request line or header of more than 16 KB (RFC 6585, 5)."""
    return (
        type(failure).__name__ in ("UndefinedStatusCode", "AcceptedNegativeData", "RejectedPositiveData", "UndefinedContentType")
        and response.status_code == 431
        and len(response.request.url or "") > 8_000
    )


def invalid_after_all(failure, case, response):
    """The body was generated as valid, but was invalid once it was encoded and sent. For example, generators treat unassigned
    characters as letters, and a form cannot contain an empty list."""
    return type(failure).__name__ == "RejectedPositiveData" and response.status_code == 400 and has_invalid_body(case, response)


def has_invalid_body(case, response):
    return isinstance(forms.body_of(case), dict) and schema_of(case) is not None and not body_fits(case, response)


def scalar_in_a_form(failure, case, response):
    """The body contained null, true or false for a member that also accepts texts. In a form, the server reads these values as
    texts."""
    body = forms.body_of(case)
    names = {each["field"] for each in errors_of(body_of(response))}
    return (
        type(failure).__name__ == "RejectedPositiveData"
        and response.status_code == 400
        and "json" not in str(case.media_type)
        and isinstance(body, dict)
        and len(names) > 0
        and all(name in body and (body[name] is None or isinstance(body[name], bool)) for name in names)
    )


def reserved_name(failure, case, response):
    """A member named `__proto__` is rejected at any depth of any body, because it has been used in attacks. JSON Schema could
    describe this for one level only."""
    errors = errors_of(body_of(response))
    return (
        type(failure).__name__ == "RejectedPositiveData"
        and response.status_code == 400
        and len(errors) > 0
        and all(error["code"] == "reserved_name" and error["field"].split(".")[-1] == "__proto__" for error in errors)
    )


EXCLUSIONS = [specified_500, refused_by_state, fits_after_all, reserved_name, invalid_after_all, scalar_in_a_form, something_else_is_missing, survey_was_deleted, collection_remains, line_too_long]

# Exclusions that a run need not use, because the stateful phase chooses its requests at random.
RANDOM = [something_else_is_missing, survey_was_deleted, collection_remains]
