"""Changes the models that openapi-python-client generated for one version.

Generated enumerations raise on unknown values, so a new value of a newer service would break every client. Here unknown
values are passed through. Models with additional members get a method ``get``. Fields whose names the generator changed also
have the name of the contract: ``meta_id`` is ``id`` and ``next_`` is ``next``. Lists of parts of a structure get the types
of dicts.py. Run as: models.py <package folder>/<version> <fields as JSON>
"""

from __future__ import annotations

import json
import re
import sys
from keyword import kwlist
from pathlib import Path

RAISE_STATEMENT = re.compile(r"^    raise TypeError\(f?\"Unexpected value.*$", re.MULTILINE)
KNOWN = re.compile(r"def check_\w+\(value: \w+\) -> (\w+):")
READ = "    def __getitem__(self, key: str) -> Any:\n"
GET = (
    "    def get(self, key: str, default: Any = None) -> Any:\n"
    '        """Returns an additional member, or the default."""\n'
    "        return self.additional_properties.get(key, default)\n\n"
)


def lenient(text: str) -> str:
    """Lets the check of an enumeration return unknown values."""
    known = KNOWN.search(text)
    if not known:
        return text
    text, replaced = RAISE_STATEMENT.subn(f"    # A value of a newer service.\n    return cast({known[1]}, value)", text)
    if replaced != 1:
        raise ValueError(f"the check of {known[1]} has changed")
    return text.replace("from typing import Literal", "from typing import Literal, cast")


def typed(text: str, fields: dict[str, str]) -> str:
    """Types ``list[Any]`` as a list of typed dictionaries. ``fields`` maps a field to the schema name of its items."""
    for field, item in fields.items():
        text, replaced = re.subn(rf"^    {field}: list\[Any\]", f"    {field}: list[{item}Dict]", text, flags=re.MULTILINE)
        if replaced != 1:
            raise ValueError(f"the list {field} has changed")
    imports = "".join(f"    from ..dicts import {item}Dict\n" for item in sorted(set(fields.values())))
    return text.replace('T = TypeVar("T", ', f'if TYPE_CHECKING:\n{imports}\nT = TypeVar("T", ') if fields else text


FIELD = re.compile(r"^    (meta_(?P<meta>[a-z]\w*)|(?P<plain>[a-z]\w*)_): (?P<kind>.+?)(?: = .*)?$", re.MULTILINE)
TO_DICT = "    def to_dict(self) -> dict[str, Any]:\n"
# The generated code uses these names in the class, or Python does not allow them.
RESERVED = {"type", "list", "dict", "property", *kwlist}


def with_clean_names(text: str) -> str:
    """Adds a property with the name in the contract for each field that the generator renamed, if this name is free."""
    taken = {*RESERVED, *re.findall(r"^    (\w+): ", text, flags=re.MULTILINE)}
    names = {found["meta"] or found["plain"]: (found[1], found["kind"]) for found in FIELD.finditer(text)}
    properties = "".join(
        f"    @property\n    def {name}(self) -> {kind}:\n        return self.{field}\n\n"
        for name, (field, kind) in names.items()
        if name not in taken
    )
    return text.replace(TO_DICT, properties + TO_DICT, 1)


def main(folder: Path, fields: dict[str, dict[str, str]]) -> None:
    by_module = {re.sub(r"(?<!^)(?=[A-Z])", "_", model).lower(): members for model, members in fields.items()}
    for path in (folder / "models").glob("*.py"):
        text = typed(lenient(path.read_text()), by_module.get(path.stem, {}))
        if "if TYPE_CHECKING" in text and not re.search(r"import .*\bTYPE_CHECKING\b", text):
            text = text.replace("from typing import ", "from typing import TYPE_CHECKING, ", 1)
        path.write_text(with_clean_names(text.replace(READ, GET + READ)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
