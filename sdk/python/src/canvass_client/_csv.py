from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any


class _Chunks(io.RawIOBase):
    """A file object that reads from chunks, so that the csv module can process them as a stream."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            try:
                self._rest = next(self._chunks)
            except StopIteration:
                return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def csv_rows(chunks: Iterable[bytes]) -> Iterator[list[str]]:
    """Yields the rows of a CSV file (RFC 4180).

    The first row is the header. Keeps at most one chunk of the file in memory.
    """
    text = io.TextIOWrapper(io.BufferedReader(_Chunks(chunks)), encoding="utf-8-sig", newline="")
    yield from csv.reader(text)


def csv_records(chunks: Iterable[bytes]) -> Iterator[dict[str, str]]:
    """Yields each row of a CSV file as a dictionary of the cells by column name."""
    rows = csv_rows(chunks)
    header = next(rows, [])
    for row in rows:
        yield dict(zip(header, row, strict=False))
