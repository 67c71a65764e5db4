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


NUMBER = re.compile(r"-?\d{1,300}(\.\d+)?([eE][+-]?\d{1,3})?")
WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def meanings(text):
    """What a text in a form may mean (src/api/engine/coerce.ts): itself, a truth value, the JSON that it is."""
    found = [text]
    if text.lower() in WORDS:
        found += [WORDS[text.lower()], int(WORDS[text.lower()])]
    try:
        parsed = json.loads(text)
        found += json_meanings(parsed)[1:] + [parsed]
    except ValueError:
        pass
    return found


def json_meanings(value):
    """What a value of JSON may mean (jsonCoercion in src/api/engine/coerce.ts): itself, the number or the flag that its text is, 0 or 1
    for a flag and the other way round, and the same of what an object or a list holds."""
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


def all_json_readings(body, fits, most=4096):
    """The bodies that an object of JSON may mean, as `all_readings`."""
    likely = ([meant for meant in json_meanings(value) if fits(name, meant)] or [value] for name, value in body.items())
    return (dict(zip(body, values)) for values in itertools.islice(itertools.product(*likely), most))


def readings(texts):
    """What a member may mean that stands in a form with these texts; one text is a list of one as well."""
    if len(texts) > 1:
        return [texts, [meanings(text)[-1] for text in texts]]
    found = meanings(texts[0])
    return found + [[meant] for meant in found]


def query_readings(texts):
    """What a parameter of the query may mean that stands there with these texts: the same as in a form; without a value, a flag
    that is on; lists have commas or spaces as well."""
    parts = [int(part) if part.isdecimal() else part for part in re.split("[ ,+]+", " ".join(texts)) if part]
    return readings(texts) + [parts] + ([True] if texts == [""] else [])


def all_readings(body, fits, most=4096):
    """The bodies that a form may mean. An empty list is written as nothing. `fits(name, value)` tells what is worth a try;
    a member of which nothing fits stays the text that it is."""
    texts = {}
    for name, text in pairs_of(body):
        texts.setdefault(name, []).append(text)
    likely = ([meant for meant in readings(each) if fits(name, meant)] or [each[0]] for name, each in texts.items())
    return (dict(zip(texts, values)) for values in itertools.islice(itertools.product(*likely), most))


def body_of(case):
    """The body as it was made up."""
    return made_up.get(case.id, case.body)
