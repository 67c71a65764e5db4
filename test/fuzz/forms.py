"""How bodies are written as forms: an object, and an object in a list, is JSON text, as the contract says of each."""

import json
from urllib.parse import urlencode

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

# Bodies as they were made up, by id of the case: what is sent of them is text.
made_up = {}


def written(value):
    if isinstance(value, str):
        return value
    return json.dumps(value)


def pairs_of(body):
    return [(name, written(each)) for name, value in body.items() for each in (value if isinstance(value, list) else [value])]


def is_plain(value):
    each = value if isinstance(value, list) else [value]
    return not any(isinstance(one, (dict, list)) for one in each)


def write_form(case):
    """Writes what Schemathesis could not: it would send the names of an object's members, or nothing."""
    body = case.body
    if not isinstance(body, dict) or case.media_type not in (URLENCODED, MULTIPART):
        return
    made_up[case.id] = dict(body)
    if case.media_type == URLENCODED and not all(is_plain(value) for value in body.values()):
        case.body = urlencode(pairs_of(body), errors="replace")
    if case.media_type == MULTIPART:
        case.body = {name: [written(each) if isinstance(each, (dict, list)) else each for each in value] if isinstance(value, list) else value for name, value in body.items()}


WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def other_readings(value):
    """What a member of a form may mean as well (src/api/coercion.ts)."""
    if isinstance(value, list):
        return []
    word = str(value).lower()
    return [[value]] + ([WORDS[word]] if word in WORDS else [])


def body_of(case):
    """The body as it was made up."""
    return made_up.get(case.id, case.body)
