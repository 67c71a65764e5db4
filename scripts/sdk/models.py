"""Mends the models that openapi-python-client generated for one version.

They refuse a value that the contract did not know when the package was built, and so a service that has learnt a new one
would break a client that never looks at it: now it is passed on. And what is read like a dictionary has a ``get``.
Run as: models.py <package folder>/<version>
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REFUSAL = re.compile(r"^    raise TypeError\(f?\"Unexpected value.*$", re.MULTILINE)
KNOWN = re.compile(r"def check_\w+\(value: \w+\) -> (\w+):")
READ = "    def __getitem__(self, key: str) -> Any:\n"
GET = (
    "    def get(self, key: str, default: Any = None) -> Any:\n"
    '        """What is there under the name, or the default."""\n'
    "        return self.additional_properties.get(key, default)\n\n"
)


def lenient(text: str) -> str:
    """An enumeration whose check passes on what it does not know."""
    known = KNOWN.search(text)
    if not known:
        return text
    text, mended = REFUSAL.subn(f"    # Newer than this package.\n    return cast({known[1]}, value)", text)
    if mended != 1:
        raise ValueError(f"the check of {known[1]} is not as it was")
    return text.replace("from typing import Literal", "from typing import Literal, cast")


def main(folder: Path) -> None:
    for path in (folder / "models").glob("*.py"):
        path.write_text(lenient(path.read_text()).replace(READ, GET + READ))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
