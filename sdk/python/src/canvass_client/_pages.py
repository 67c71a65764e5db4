from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit


def walk_pages(read: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[Any]:
    """Items of every page of a list of version 3, each page asked for when the one before it is used up."""
    asked = dict(arguments)
    while True:
        page = read(**asked)
        yield from page.results
        # Only the number is taken: credentials go to no other address than the one that was given.
        following = parse_qs(urlsplit(page.next_ or "").query).get("page")
        if not following:
            return
        asked["page"] = int(following[0])


def walk_offsets(read: Callable[..., Any], arguments: dict[str, Any], member: str) -> Iterator[Any]:
    """Items of every page of a list of version 2."""
    offset = 0
    while True:
        page = read(**arguments, offset=offset)
        items = getattr(page, member)
        yield from items
        offset += len(items)
        if not items or offset >= page.total:
            return
