from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import httpx

from ._connection import Connection
from ._csv import csv_records, csv_rows


class PlainModel:
    """Wraps a dictionary as the model that a generated function expects for a body or for filters."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value

    def to_dict(self) -> dict[str, Any]:
        return dict(self._value)


class GeneratedFunctions:
    """Uses the generated functions of a version to describe requests and parse responses."""

    _package: str
    """The package of these functions."""

    def _module(self, name: str) -> Any:
        return import_module(f"{self._package}.api.{name}")

    def _describe(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        values = {key: PlainModel(value) if isinstance(value, Mapping) else value for key, value in arguments.items()}
        described: dict[str, Any] = self._module(name)._get_kwargs(**values)
        return described

    def _read(self, name: str, response: httpx.Response) -> Any:
        client = import_module(f"{self._package}.client").Client(base_url="", raise_on_unexpected_status=True)
        return self._module(name)._parse_response(client=client, response=response)

    def _export(self, survey_id: int, query: dict[str, Any]) -> dict[str, Any]:
        return self._describe("csv.export_csv", {"survey_id": survey_id, **query})


def csv_request(url: str, csv: str | bytes) -> dict[str, Any]:
    """Describes a request with a CSV file as its body."""
    content = csv.encode() if isinstance(csv, str) else csv
    return {"method": "post", "url": url, "content": content, "headers": {"Content-Type": "text/csv; charset=utf-8"}}


class OperationsBase(GeneratedFunctions):
    """The base of the operations of both versions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._read(name, self._connection.send(self._describe(name, arguments)))

    def csv_bytes(self, survey_id: int, **query: Any) -> Iterator[bytes]:
        """Streams the CSV export in chunks; accepts the arguments of ``export_csv``."""
        response = self._connection.send(self._export(survey_id, query), stream=True)
        try:
            yield from response.iter_bytes()
        finally:
            response.close()

    def csv_rows(self, survey_id: int, **query: Any) -> Iterator[list[str]]:
        """Yields the rows of the CSV export, the header first. Does not support ``tab_separated``."""
        return csv_rows(self.csv_bytes(survey_id, **query))

    def csv_records(self, survey_id: int, **query: Any) -> Iterator[dict[str, str]]:
        """Yields the rows of the CSV export as dictionaries. Does not support ``tab_separated``."""
        return csv_records(self.csv_bytes(survey_id, **query))

    def _send_csv(self, url: str, csv: str | bytes) -> Any:
        return self._connection.send(csv_request(url, csv)).json()
