"""Changes the models that openapi-python-client generated for one version.

Generated enumerations raise on unknown values, so a new value of a newer service would break every client. Here unknown
values are passed through. Models with additional members get a method ``get``. Lists of parts of a structure get the types
of dicts.py. Run as: models.py <package folder>/<version> <fields as JSON>
"""

from __future__ import annotations

import json
import re
import sys
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
    """Gives lists of a model the typed dictionaries of their items, by the name of the field."""
    for field, item in fields.items():
        text, replaced = re.subn(rf"^    {field}: list\[Any\]", f"    {field}: list[{item}Dict]", text, flags=re.MULTILINE)
        if replaced != 1:
            raise ValueError(f"the list {field} has changed")
    imports = "".join(f"    from ..dicts import {item}Dict\n" for item in sorted(set(fields.values())))
    return text.replace('T = TypeVar("T", ', f'if TYPE_CHECKING:\n{imports}\nT = TypeVar("T", ') if fields else text


def main(folder: Path, fields: dict[str, dict[str, str]]) -> None:
    by_module = {re.sub(r"(?<!^)(?=[A-Z])", "_", model).lower(): members for model, members in fields.items()}
    for path in (folder / "models").glob("*.py"):
        text = typed(lenient(path.read_text()), by_module.get(path.stem, {}))
        if "if TYPE_CHECKING" in text and not re.search(r"import .*\bTYPE_CHECKING\b", text):
            text = text.replace("from typing import ", "from typing import TYPE_CHECKING, ", 1)
        path.write_text(text.replace(READ, GET + READ))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
