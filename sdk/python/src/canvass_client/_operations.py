from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import httpx

from ._connection import Connection
from ._csv import csv_records, csv_rows


class Given:
    """A body or a set of filters that is given as a plain object, where generated functions look for a model."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value

    def to_dict(self) -> dict[str, Any]:
        return dict(self._value)


class Described:
    """How the generated functions of a version describe requests and read answers."""

    _package: str
    """Where these functions are."""

    def _module(self, name: str) -> Any:
        return import_module(f"{self._package}.api.{name}")

    def _described(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        given = {key: Given(value) if isinstance(value, Mapping) else value for key, value in arguments.items()}
        described: dict[str, Any] = self._module(name)._get_kwargs(**given)
        return described

    def _read(self, name: str, response: httpx.Response) -> Any:
        client = import_module(f"{self._package}.client").Client(base_url="", raise_on_unexpected_status=True)
        return self._module(name)._parse_response(client=client, response=response)

    def _export(self, survey_id: int, query: dict[str, Any]) -> dict[str, Any]:
        return self._described("csv.export_csv", {"survey_id": survey_id, **query})


def csv_request(url: str, csv: str | bytes) -> dict[str, Any]:
    """A request that brings a CSV file."""
    content = csv.encode() if isinstance(csv, str) else csv
    return {"method": "post", "url": url, "content": content, "headers": {"Content-Type": "text/csv; charset=utf-8"}}


class OperationsBase(Described):
    """What the operations of both versions have in common."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._read(name, self._connection.send(self._described(name, arguments)))

    def csv_bytes(self, survey_id: int, **query: Any) -> Iterator[bytes]:
        """The export of the responses as it is sent, chunk by chunk; takes what ``export_csv`` takes."""
        response = self._connection.send(self._export(survey_id, query), stream=True)
        try:
            yield from response.iter_bytes()
        finally:
            response.close()

    def csv_rows(self, survey_id: int, **query: Any) -> Iterator[list[str]]:
        """The rows of the export, the header first, as they arrive. Not for ``tab_separated``."""
        return csv_rows(self.csv_bytes(survey_id, **query))

    def csv_records(self, survey_id: int, **query: Any) -> Iterator[dict[str, str]]:
        """The lines of the export as dictionaries, as they arrive. Not for ``tab_separated``."""
        return csv_records(self.csv_bytes(survey_id, **query))

    def _send_csv(self, url: str, csv: str | bytes) -> Any:
        return self._connection.send(csv_request(url, csv)).json()
