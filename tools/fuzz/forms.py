"""Encodes bodies as forms. Objects and lists of objects are written as JSON text, as in the contract."""

import itertools
import json
import re
from urllib.parse import urlencode

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

# Generated bodies by ID of the case, before their encoding as text.
generated_bodies = {}


def form_text(value):
    if isinstance(value, str):
        return value
    return json.dumps(value)


def as_integer(value):
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def entries_of(value):
    """Returns the texts of a member: one for each entry of a list, or one JSON text if it has objects or lists."""
    entries = value if isinstance(value, list) and is_plain(value) else [value]
    return [form_text(entry) for entry in entries]


def fields_of(body):
    return [(name, text) for name, value in body.items() for text in entries_of(value)]


def is_plain(value):
    entries = value if isinstance(value, list) else [value]
    return not any(isinstance(entry, (dict, list)) for entry in entries)


def write_form(case):
    """Encodes objects in a form, for which Schemathesis would send only the names of their members, or nothing."""
    body = case.body
    if not isinstance(body, dict):
        return
    if case.media_type not in (URLENCODED, MULTIPART):
        # The assignment makes Schemathesis validate the body again. This is necessary, because its generator treats
        # unassigned characters as letters, so a body that was generated as valid can be invalid.
        case.body = dict(body)
        return
    # 1.0 is an integer in JSON Schema, but not as a text.
    body = {name: [as_integer(each) for each in value] if isinstance(value, list) else as_integer(value) for name, value in body.items()}
    case.body = body
    generated_bodies[case.id] = dict(body)
    if case.media_type == URLENCODED and not all(is_plain(value) for value in body.values()):
        case.body = urlencode(fields_of(body), errors="replace")
    if case.media_type == MULTIPART:
        case.body = {name: value if is_plain(value) else form_text(value) for name, value in body.items()}


NUMBER = re.compile(r"-?\d{1,300}(\.\d+)?([eE][+-]?\d{1,3})?")
WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def meanings(text):
    """Returns the meanings of a text in a form (src/api/engine/coerce.ts): the text, a flag, or parsed JSON."""
    values = [text]
    if text.lower() in WORDS:
        values += [WORDS[text.lower()], int(WORDS[text.lower()])]
    try:
        parsed = json.loads(text)
        values += json_meanings(parsed)[1:] + [parsed]
    except ValueError:
        pass
    return values


def json_meanings(value):
    """Returns the meanings of a JSON value (jsonCoercion in src/api/engine/coerce.ts): the value, the number or flag in a text,
    0 or 1 for a flag and the reverse, and the same for the members of objects and lists."""
    if isinstance(value, dict):
        inner = [{name: json_meanings(each)[index] if index < len(json_meanings(each)) else each for name, each in value.items()} for index in range(4)]
        return [value] + inner
    if isinstance(value, list):
        return [value] + [[(json_meanings(each) * 4)[index] for each in value] for index in range(1, 4)]
    if isinstance(value, str):
        flags = [WORDS[value.lower()], int(WORDS[value.lower()])] if value.lower() in WORDS else []
        return [value] + flags + ([float(value)] if NUMBER.fullmatch(value) else [])
    if isinstance(value, bool):
        return [value, int(value)]
    return [value, bool(value)] if value in (0, 1) else [value]


def all_json_readings(body, fits, max_readings=4096):
    """Returns the possible meanings of a JSON object, like `all_readings`."""
    likely = ([meaning for meaning in json_meanings(value) if fits(name, meaning)] or [value] for name, value in body.items())
    return (dict(zip(body, values)) for values in itertools.islice(itertools.product(*likely), max_readings))


def readings(texts):
    """Returns the possible meanings of a form field with these texts. A single text may also be a list with one entry."""
    if len(texts) > 1:
        return [texts, [meanings(text)[-1] for text in texts]]
    values = meanings(texts[0])
    return values + [[meaning] for meaning in values]


def query_readings(texts):
    """Returns the possible meanings of a query parameter with these texts. In addition to the meanings in a form, a parameter
    without a value is a flag that is true, and commas and spaces separate lists."""
    parts = [int(part) if part.isdecimal() else part for part in re.split("[ ,+]+", " ".join(texts)) if part]
    return readings(texts) + [parts] + ([True] if texts == [""] else [])


def all_readings(body, fits, max_readings=4096):
    """Returns the possible meanings of a form, which omits empty lists. `fits(name, value)` selects the meanings of a member; a
    member without one keeps its text."""
    texts = {}
    for name, text in fields_of(body):
        texts.setdefault(name, []).append(text)
    likely = ([meaning for meaning in readings(values) if fits(name, meaning)] or [values[0]] for name, values in texts.items())
    return (dict(zip(texts, values)) for values in itertools.islice(itertools.product(*likely), max_readings))


def body_of(case):
    """Returns the generated body."""
    return generated_bodies.get(case.id, case.body)
