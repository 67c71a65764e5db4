from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, Unpack, cast

import httpx

from ._connection import Connection
from ._csv import csv_records, csv_rows
from ._download import Download
from ._error import CanvassError
from ._options import FORMER_NAMES, CallOptions, InternalOptions, PostOptions
from ._response import APIResponse, Reply
from ._retry import CONNECTION_ERRORS

P = ParamSpec("P")
T = TypeVar("T")


class PlainModel:
    """Wraps a dictionary as the model that a generated function expects for a body or for filters."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value

    def to_dict(self) -> dict[str, Any]:
        return dict(self._value)


class GeneratedFunctions:
    """Uses the generated functions of one version of the API to describe requests and parse responses."""

    _package: str
    """The package that contains the generated functions."""

    def _module(self, name: str) -> Any:
        return import_module(f"{self._package}.api.{name}")

    def _describe(self, name: str, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the arguments of the request. Accepts former names of parameters."""
        former = {key: value for key, value in options.items() if key in FORMER_NAMES}
        values = {
            key: PlainModel(value) if key in {"body", "answers"} and isinstance(value, Mapping) else value
            for key, value in {**arguments, **former}.items()
        }
        described: dict[str, Any] = self._module(name)._get_kwargs(**values)
        return described

    def _read(self, name: str, reply: Reply, options: InternalOptions) -> Any:
        client = import_module(f"{self._package}.client").Client(base_url="", raise_on_unexpected_status=True)
        if on_response := options.get("on_response"):
            on_response(reply)
        return self._module(name)._parse_response(client=client, response=reply.response)

    def _export(self, survey_id: int, query: Mapping[str, Any]) -> tuple[dict[str, Any], InternalOptions]:
        """Describes the request of an export, and separates the options of the call from the query."""
        names = InternalOptions.__annotations__
        options = cast(InternalOptions, {key: value for key, value in query.items() if key in names})
        arguments = {FILTERS.get(key, key): value for key, value in query.items() if key not in names}
        return self._describe("csv.export_csv", {"survey_id": survey_id, **arguments}, {}), options


# The names that the filters have in the generated functions, by the names that ``export_csv`` accepts.
FILTERS = {name.removeprefix("meta_").removesuffix("_"): name for name in FORMER_NAMES}


def csv_request(url: str, csv: str | bytes) -> dict[str, Any]:
    """Describes a request with a CSV file as its body."""
    content = csv.encode() if isinstance(csv, str) else csv
    return {"method": "post", "url": url, "content": content, "headers": {"Content-Type": "text/csv; charset=utf-8"}}


WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def workbook_request(url: str, workbook: bytes) -> dict[str, Any]:
    """Describes a request with an Excel workbook as its body."""
    return {"method": "post", "url": url, "content": workbook, "headers": {"Content-Type": WORKBOOK}}


def file_request(url: str, content: bytes, params: dict[str, str]) -> dict[str, Any]:
    """Describes a request with a file as its body."""
    headers = {"Content-Type": "application/octet-stream"}
    return {"method": "post", "url": url, "params": params, "content": content, "headers": headers}


class OperationsBase(GeneratedFunctions):
    """The base class of the operations of version 2 and version 3 of the API."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, name: str, arguments: Mapping[str, Any], options: CallOptions) -> Any:
        internal = cast(InternalOptions, options)
        return self._read(name, self._connection.send(self._describe(name, arguments, options), internal), internal)

    def with_response(self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> APIResponse[T]:
        """Calls a method and returns its result with the status, headers and other properties of the response.

        ``canvass.v3.with_response(canvass.v3.get_survey, 14).headers["ETag"]``
        """
        replies: list[Reply] = []
        data = cast(Callable[..., T], method)(*args, **kwargs, on_response=replies.append)
        return replies[-1].with_data(data)

    def csv_bytes(self, survey_id: int, **query: Any) -> Iterator[bytes]:
        """Streams the CSV export in chunks. Accepts the same arguments as ``export_csv``.

        If the connection breaks, the download continues where it stopped, provided that the file has not changed. At the
        end, another request checks that the file is whole, because some proxies hide that a connection broke.

        Raises:
            APIConnectionError: The connection broke, and the file has changed in the meantime.
        """
        described, options = self._export(survey_id, query)
        response = self._connection.send(described, options, stream=True).response
        download = Download(response)
        while True:
            try:
                download.assert_rest(response)
                for chunk in response.iter_bytes():
                    download.received += len(chunk)
                    yield chunk
                if download.shows_end(response):
                    return
                rest = download.check(described)
            except CONNECTION_ERRORS as error:
                rest = download.rest(described, error)
            finally:
                response.close()
            try:
                response = self._connection.send(rest, options, stream=True).response
            except CanvassError as error:
                if download.has_all(error):
                    return
                raise
            if download.cannot_check(response):
                response.close()
                return

    def csv_rows(self, survey_id: int, **query: Any) -> Iterator[list[str]]:
        """Yields the rows of the CSV export.

        The first row is the header. Does not support ``tab_separated``.
        """
        return csv_rows(self.csv_bytes(survey_id, **query))

    def csv_records(self, survey_id: int, **query: Any) -> Iterator[dict[str, str]]:
        """Yields the rows of the CSV export as dictionaries. Does not support ``tab_separated``."""
        return csv_records(self.csv_bytes(survey_id, **query))

    def _send_csv(self, url: str, csv: str | bytes, options: PostOptions) -> Any:
        return self._connection.send(csv_request(url, csv), cast(InternalOptions, options)).response.json()

    def _send_file(self, url: str, content: bytes, params: dict[str, str], options: PostOptions) -> Any:
        return self._connection.send(file_request(url, content, params), cast(InternalOptions, options)).response.json()

    def _send_workbook(self, url: str, workbook: bytes, options: PostOptions) -> Any:
        return self._connection.send(workbook_request(url, workbook), cast(InternalOptions, options)).response.json()
