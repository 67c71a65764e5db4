from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any


class _Chunks(io.RawIOBase):
    """Chunks as a file, so that the csv module reads them as they come."""

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
    """The rows of a CSV file (RFC 4180), the header first, as they arrive: no more than a chunk is held in memory."""
    text = io.TextIOWrapper(io.BufferedReader(_Chunks(chunks)), encoding="utf-8-sig", newline="")
    yield from csv.reader(text)


def csv_records(chunks: Iterable[bytes]) -> Iterator[dict[str, str]]:
    """The lines of a CSV file as dictionaries: column name to cell."""
    rows = csv_rows(chunks)
    header = next(rows, [])
    for row in rows:
        yield dict(zip(header, row, strict=False))
