from __future__ import annotations

from typing import NewType

OtherKind = NewType("OtherKind", str)
"""The type of a question that this version of the package does not know, as in ``{"idname": OtherKind("map")}``."""
