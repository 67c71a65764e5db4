"""Failures of Schemathesis that are none, each with its reason. As few as can be: mend the server or the contract first."""


import re

# What the check of shapes says (src/api/fault.ts). A request that fits the contract must never meet one of these words.
SHAPE = re.compile(
    r": (is required|is not known here|needs \\S+ beside it|must (be (a whole number|a number|true or false|a text|a list|an object"
    r"|null|at least|at most|more than|less than|a multiple of|an absolute URL)|have at (least|most)|match |not hold)|has none of the accepted forms)"
)


def code_of(response):
    try:
        body = response.json()
    except ValueError:
        return None
    return body.get("code") if isinstance(body, dict) else None


def shows_survey_error(case):
    """Whether the contract of this operation shows `survey_error` under 500."""
    reply = case.operation.definition.raw.get("responses", {}).get("500", {})
    media = reply.get("content", {}).get("application/json", {})
    examples = media.get("examples", {}).values()
    return any(example.get("value", {}).get("code") == "survey_error" for example in examples)


def specified_500(failure, case, response):
    """The specification answers wrong answers with 500 `survey_error`. `server_error` under the same status stays a failure."""
    name = type(failure).__name__
    return (
        name in ("ServerError", "RejectedPositiveData", "AcceptedNegativeData")
        and response.status_code == 500
        and shows_survey_error(case)
        and code_of(response) == "survey_error"
    )


# Fields that the contract takes in the query or in the body, and therefore requires in neither.
EITHER_PLACE = {
    ("deleteCollector", "id"),
    ("createCollector", "name"),
    ("removeFilter", "name"),
    ("removeTag", "name"),
}


def refused_by_sense(failure, case, response):
    """Data of the right shape may make no sense: a question that the survey lacks, two members that exclude each other,
    an address that is no e-mail address. A schema cannot say so; the answer has to be 400 `invalid_request` that names
    the field, in words that the check of shapes does not use."""
    if type(failure).__name__ != "RejectedPositiveData" or response.status_code != 400:
        return False
    code = code_of(response)
    if code != "invalid_request":
        # A refusal with a name of its own (`survey_error` of version 3, …) comes from the domain.
        return code in ("survey_error",)
    body = response.json()
    text = str(body.get("detail") or body.get("description") or "")
    for operation, field in EITHER_PLACE:
        if case.operation.definition.raw.get("operationId") == operation:
            text = text.replace(f"{field}: is required", "").replace(f"{field}: must not be empty", "")
    return not SHAPE.search(f": {text}" if ": " not in text else text)


def has_no_spelling(failure, case, response):
    """What a form cannot write: an empty list, and a number of more than 53 bits, which stays a text here."""
    if type(failure).__name__ != "RejectedPositiveData" or response.status_code != 400 or not isinstance(case.body, dict):
        return False
    values = case.body.values()
    in_form = "json" not in str(case.media_type)
    return in_form and any(value == [] or (isinstance(value, int) and abs(value) > 2**53) for value in values)


def any_object_will_do(failure, case, response):
    """`updateStructure` of version 3 takes any object as a structure; a member of its example is not a required one."""
    return (
        type(failure).__name__ == "AcceptedNegativeData"
        and case.operation.definition.raw.get("operationId") == "updateStructure"
        and isinstance(case.body, dict)
        and isinstance(case.body.get("structure", {}), dict)
    )


EXCLUSIONS = [specified_500, refused_by_sense, has_no_spelling, any_object_will_do]
