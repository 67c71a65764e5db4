from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit


def walk_pages(read: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[Any]:
    """Items of every page of a list of version 3, each page asked for when the one before it is used up."""
    asked = dict(arguments)
    while True:
        page = read(**asked)
        yield from page.results
        following = _page_after(page)
        if following is None:
            return
        asked["page"] = following


async def async_walk_pages(read: Callable[..., Awaitable[Any]], arguments: dict[str, Any]) -> AsyncIterator[Any]:
    """The same without blocking."""
    asked = dict(arguments)
    while True:
        page = await read(**asked)
        for item in page.results:
            yield item
        following = _page_after(page)
        if following is None:
            return
        asked["page"] = following


def _page_after(page: Any) -> int | None:
    # Only the number is taken: credentials go to no other address than the one that was given.
    following = parse_qs(urlsplit(page.next_ or "").query).get("page")
    return int(following[0]) if following else None


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


async def async_walk_offsets(
    read: Callable[..., Awaitable[Any]], arguments: dict[str, Any], member: str
) -> AsyncIterator[Any]:
    """The same without blocking."""
    offset = 0
    while True:
        page = await read(**arguments, offset=offset)
        items = getattr(page, member)
        for item in items:
            yield item
        offset += len(items)
        if not items or offset >= page.total:
            return
