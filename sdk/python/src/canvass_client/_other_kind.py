from __future__ import annotations

from typing import NewType

OtherKind = NewType("OtherKind", str)
"""A question type that this version of the package does not know, as in ``{"idname": OtherKind("map")}``."""
