"""Changes the models that openapi-python-client generated for one version.

Generated enumerations raise on unknown values, so a new value of a newer service would break every client. Here unknown
values are passed through. Models with additional members get a method ``get``.
Run as: models.py <package folder>/<version>
"""

from __future__ import annotations

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


def main(folder: Path) -> None:
    for path in (folder / "models").glob("*.py"):
        path.write_text(lenient(path.read_text()).replace(READ, GET + READ))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
