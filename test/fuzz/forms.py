"""How bodies are written as forms: an object, and an object in a list, is JSON text, as the contract says of each."""

import itertools
import json
import re
from urllib.parse import urlencode

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

# Bodies as they were made up, by id of the case: what is sent of them is text.
made_up = {}


def written(value):
    if isinstance(value, str):
        return value
    return json.dumps(value)


def whole(value):
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


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
    # 1.0 is a whole number in JSON Schema; as a text it is none.
    body = {name: [whole(each) for each in value] if isinstance(value, list) else whole(value) for name, value in body.items()}
    case.body = body
    made_up[case.id] = dict(body)
    if case.media_type == URLENCODED and not all(is_plain(value) for value in body.values()):
        case.body = urlencode(pairs_of(body), errors="replace")
    if case.media_type == MULTIPART:
        case.body = {name: [written(each) if isinstance(each, (dict, list)) else each for each in value] if isinstance(value, list) else value for name, value in body.items()}


WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def readings(value):
    """What a member of a form may mean (src/api/coercion.ts): itself, a list of it, a truth value, a text that is JSON."""
    if isinstance(value, list):
        return [value]
    word = str(value).lower()
    meant = [value, [value]]
    if word in WORDS:
        meant.append(WORDS[word])
    if not isinstance(value, str):
        meant.append(json.dumps(value))
    return meant


def query_readings(value):
    """What a parameter of the query may mean, where all is text: itself, a flag, a list of one, a list with commas or spaces."""
    if isinstance(value, (list, dict)) or value is None:
        return [value]
    text = str.__str__(value) if isinstance(value, str) else json.dumps(value)
    flag = True if text == "" else WORDS.get(text.lower(), text)
    parts = [int(part) if part.isdecimal() else part for part in re.split("[ ,+]+", text) if part]
    return [text, [text], flag, parts] + ([] if isinstance(value, str) else [value])


def all_readings(body, declared, most=4096):
    """The bodies that a form may mean, as many of them as are worth a try; what is not declared may be anything anyway."""
    combinations = itertools.product(*(readings(value) if name in declared else [value] for name, value in body.items()))
    return (dict(zip(body, values)) for values in itertools.islice(combinations, most))


def body_of(case):
    """The body as it was made up."""
    return made_up.get(case.id, case.body)
