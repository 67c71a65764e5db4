from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit


def paginate_pages(read: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[Any]:
    """Yields the items of all pages of a list of version 3; requests a page when the previous one is consumed."""
    query = dict(arguments)
    while True:
        page = read(**query)
        yield from page.results
        number = _page_after(page)
        if number is None:
            return
        query["page"] = number


async def async_paginate_pages(read: Callable[..., Awaitable[Any]], arguments: dict[str, Any]) -> AsyncIterator[Any]:
    """Yields the same items without blocking."""
    query = dict(arguments)
    while True:
        page = await read(**query)
        for item in page.results:
            yield item
        number = _page_after(page)
        if number is None:
            return
        query["page"] = number


def _page_after(page: Any) -> int | None:
    # Uses only the page number of `next`, so that credentials are never sent to another host.
    number = parse_qs(urlsplit(page.next_ or "").query).get("page")
    return int(number[0]) if number else None


def paginate_offsets(read: Callable[..., Any], arguments: dict[str, Any], member: str) -> Iterator[Any]:
    """Yields the items of all pages of a list of version 2."""
    offset = 0
    while True:
        page = read(**arguments, offset=offset)
        items = getattr(page, member)
        yield from items
        offset += len(items)
        if not items or offset >= page.total:
            return


async def async_paginate_offsets(
    read: Callable[..., Awaitable[Any]], arguments: dict[str, Any], member: str
) -> AsyncIterator[Any]:
    """Yields the same items without blocking."""
    offset = 0
    while True:
        page = await read(**arguments, offset=offset)
        items = getattr(page, member)
        for item in items:
            yield item
        offset += len(items)
        if not items or offset >= page.total:
            return
