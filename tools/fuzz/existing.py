"""Replaces generated IDs and names by those of existing objects."""

import re

from hypothesis.control import current_build_context
from objects import OBJECT_IDS, is_stateful, new_object

# Members of bodies and queries that contain an ID or a list of IDs, and the path parameter of the same kind.
NAMES = {
    "survey": "survey_id",
    "surveys": "survey_id",
    "collector": "collector_id",
    "_collector": "collector_id",
    "template": "template_id",
    "library_question": "library_question_id",
    "contacts": "contact_id",
    "contact_list": "list_id",
    "response_ids": "response_id",
    "ids": "response_id",
    "group": "group_id",
    "id": "contact_id",
    "restore": "version",
}
# Query parameters that name an object of a survey, such as a question or a filter, each with the name of an existing object.
TEXTS = {"question": "photo", "filter": "late reds", "language": "fr", "include": ["colour", "rating_0"], "since": OBJECT_IDS.get("since"), "answers": {"q1": "1"}}
# Operations that change how a survey is answered, or erase a person. They never get the first object of a kind, because other
# requests need that object.
CHANGING = ("updateStructure", "publishDraft", "updateLanguages", "restoreVersion", "updateSettings", "setSurveyStatus", "eraseContact")


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_positive(case, location):
    """Whether the values of a location (path, query, header or body) were generated as valid. Values of an example have no mode
    and count as valid."""
    component = case.meta.components.get(location) if case.meta else None
    return case.meta is not None and (component is None or component.mode.is_positive)


# The IDs in the replies to the earlier requests of a scenario of the stateful phase. The links of the contract provide these
# IDs to later requests.
created_ids = set()
current_scenario = None


def begin_scenario():
    """Forgets the IDs of the previous scenario, if the request is the first of a new scenario. If the IDs were kept, a repeated
    scenario could get other replies, and Hypothesis would end the phase."""
    global current_scenario
    scenario = current_build_context().data
    if scenario is not current_scenario:
        current_scenario = scenario
        created_ids.clear()


def real(case, name, value):
    """Replaces a generated ID by the ID of an existing object. Keeps an ID that a link provided. An operation that deletes
    objects gets the last object of its kind, because other requests need the first."""
    known = OBJECT_IDS.get(name)
    if isinstance(value, list):
        return [real(case, name, each) for each in value]
    if known and isinstance(known[0], int) and isinstance(value, str) and IDS.fullmatch(value):
        return re.sub("[0-9]+", lambda each: str(real(case, name, int(each[0]))), value)
    if not known or not (is_id(value) or (isinstance(value, str) and isinstance(known[0], str))):
        return value
    if is_stateful(case) and value in created_ids:
        return value
    return known[-1 if case.method.upper() == "DELETE" else 0]


# Matches a text with one or several IDs.
IDS = re.compile(r"[1-9][0-9]{0,15}([, +]+[1-9][0-9]{0,15})*")


def use_existing(case, values):
    for member, name in NAMES.items():
        if member in values:
            values[member] = real(case, name, values[member])


def use_existing_texts(query):
    for name, text in TEXTS.items():
        # `include` lists questions in most operations. In the change feed it is a text, which stays as it is.
        if text and type(query.get(name)) is type(text):
            query[name] = text


# The surveys of created collectors.
surveys_of_collectors = {}


def remember_survey(case, body):
    if case.operation.definition.raw["operationId"].startswith("createCollector") and isinstance(body, dict):
        surveys_of_collectors[body.get("id")] = body.get("survey")


# The path at which an object was removed, by the name and value of its path parameter.
removed = {}
NO_OBJECT = 999_999_999


def address(case):
    return case.operation.path[: case.operation.path.rindex("}")]


def remember_removed(case, status_code):
    deletes = case.method.upper() == "DELETE" and case.operation.path.endswith("}/")
    erases = case.operation.definition.raw["operationId"] == "eraseContact"
    if status_code < 300 and (deletes or erases):
        removed[list(case.path_parameters.items())[-1]] = "erased" if erases else address(case)


def replace_last(case):
    """Replaces the last object of the path by a new object in two cases: if the operation would delete or change an object that
    other requests need, or if the object was already removed at a different path, which Schemathesis does not notice."""
    path = case.path_parameters
    if not isinstance(path, dict) or not path:
        return
    name, value = list(path.items())[-1]
    is_needed = removes_last(case) and str(value).strip() in map(str, OBJECT_IDS.get(name, [])[:1])
    if is_needed or removed.get((name, value), address(case)) != address(case):
        path[name] = new_object(name, path) or NO_OBJECT


def removes_last(case):
    """Whether the operation deletes the last object of its path, or changes it so that other requests would fail."""
    deletes = case.method.upper() == "DELETE" and case.operation.path.rstrip("/").endswith("}")
    return deletes or case.operation.definition.raw.get("operationId") in CHANGING


def use_existing_path(case):
    """Replaces the IDs of the path by the IDs of existing objects. Creates a new object if the operation deletes or changes the
    last object of the path."""
    path = case.path_parameters
    last = list(path)[-1]
    for name, value in path.items():
        replaced = real(case, name, value)
        if replaced != value:
            path[name] = (name == last and removes_last(case) and new_object(name, path)) or OBJECT_IDS[name][0]


# Query parameters that exclude each other.
ALTERNATIVES = (("survey", "collector"), ("contacts", "contact_list"), ("tab_separated", "comma_separated"))


def choose_one(query):
    """Omits one of two query parameters that exclude each other."""
    for first, second in ALTERNATIVES:
        if first in query and second in query:
            del query[second]
