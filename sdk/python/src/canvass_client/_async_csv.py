from __future__ import annotations

import codecs
import csv
from collections.abc import AsyncIterable, AsyncIterator


def _split(text: str) -> tuple[list[str], str]:
    """Returns the complete rows and the rest of the text. A line end between quotation marks is part of a cell."""
    rows: list[str] = []
    start = at = quotes = 0
    while (end := text.find("\n", at)) >= 0:
        quotes += text.count('"', at, end)
        at = end + 1
        if quotes % 2 == 0:
            rows.append(text[start:at])
            start, quotes = at, 0
    return rows, text[start:]


async def async_csv_rows(chunks: AsyncIterable[bytes]) -> AsyncIterator[list[str]]:
    """Yields the rows of a CSV file (RFC 4180).

    The first row is the header. Keeps at most one chunk of the file in memory.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest = ""
    async for chunk in chunks:
        rows, rest = _split(rest + decoder.decode(chunk))
        for row in csv.reader(rows):
            yield row
    for row in csv.reader([rest] if rest else []):
        yield row
