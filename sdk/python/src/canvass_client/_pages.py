from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qs, urlsplit

T = TypeVar("T")


def paginate_pages(read: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[Any]:
    """Yields the items of all pages of a list of version 3 of the API.

    Requests the next page when the items of the previous page are consumed.
    """
    query = dict(arguments)
    while True:
        page = read(**query)
        yield from page.results
        number = _page_after(page)
        if number is None:
            return
        query["page"] = number


async def async_paginate_pages(read: Callable[..., Awaitable[Any]], arguments: dict[str, Any]) -> AsyncIterator[Any]:
    """Does the same as ``paginate_pages`` without blocking."""
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
    # Uses only the page number in the URL `next`, so that credentials are never sent to another host.
    number = parse_qs(urlsplit(page.next_ or "").query).get("page")
    return int(number[0]) if number else None


def paginate_offsets(read: Callable[..., Any], arguments: dict[str, Any], member: str) -> Iterator[Any]:
    """Yields the items of all pages of a list of version 2 of the API."""
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
    """Does the same as ``paginate_offsets`` without blocking."""
    offset = 0
    while True:
        page = await read(**arguments, offset=offset)
        items = getattr(page, member)
        for item in items:
            yield item
        offset += len(items)
        if not items or offset >= page.total:
            return


class ChangeFeed(Generic[T]):
    """An iterable over the changes since a cursor. It also provides the cursor for the next run of the program."""

    def __init__(self, read: Callable[..., Any], arguments: dict[str, Any]) -> None:
        self._read = read
        self._arguments = arguments
        self.cursor: str | None = arguments.pop("since", None) or None
        """The cursor for the next run (``since``).

        Store the cursor: the next run of your program continues from it. It moves only when all changes of a page have
        been consumed. If the program stops earlier, the next run therefore gets this page again, and no change is lost.
        """

    def __iter__(self) -> Iterator[T]:
        """Yields all changes that are available now, and then ends."""
        more = True
        while more:
            since = {"since": self.cursor} if self.cursor else {}
            page = self._read(**self._arguments, **since)
            yield from page.results
            self.cursor, more = page.next_cursor, page.more


class AsyncChangeFeed(Generic[T]):
    """An asynchronous iterable over the same changes as ``ChangeFeed``."""

    def __init__(self, read: Callable[..., Awaitable[Any]], arguments: dict[str, Any]) -> None:
        self._read = read
        self._arguments = arguments
        self.cursor: str | None = arguments.pop("since", None) or None
        """The cursor for the next run (``since``)."""

    async def __aiter__(self) -> AsyncIterator[T]:
        more = True
        while more:
            since = {"since": self.cursor} if self.cursor else {}
            page = await self._read(**self._arguments, **since)
            for change in page.results:
                yield change
            self.cursor, more = page.next_cursor, page.more
