from __future__ import annotations

from typing import Any

import httpx

from ._error import APIConnectionError, CanvassError


class Download:
    """The state of a download that continues after a broken connection, and whose end is checked."""

    def __init__(self, response: httpx.Response) -> None:
        headers = response.headers
        # A compressed file cannot be continued. ``Range`` counts compressed bytes, but only the number of decompressed
        # bytes is known here.
        can_resume = response.status_code == 200 and "content-encoding" not in headers
        self._etag = headers.get("etag") if can_resume else None
        self._can_check = headers.get("accept-ranges") == "bytes"
        self._is_checking = False
        self._received_before = -1
        self.received = 0

    def rest(self, described: dict[str, Any], error: httpx.TransportError) -> dict[str, Any]:
        """Describes the request for the rest of the file.

        Raises:
            APIConnectionError: The service cannot send the rest of the file, or the last request for the rest returned
                no data.
        """
        if not self._etag or self.received == self._received_before:
            raise APIConnectionError(f"The connection was closed before the end of the file: {error}") from error
        self._received_before = self.received
        self._is_checking = False
        return self._ranged(described)

    def shows_end(self, response: httpx.Response) -> bool:
        """Returns whether a response that has ended is whole. Without a length, a proxy can have hidden that it broke."""
        return not self._etag or not self._can_check or "content-length" in response.headers

    def check(self, described: dict[str, Any]) -> dict[str, Any]:
        """Describes a request for the bytes after the last one, of which there are none if the file is whole.

        Raises:
            APIConnectionError: The last request for the rest returned no data.
        """
        if self.received == self._received_before:
            raise APIConnectionError("The connection was closed before the end of the file")
        self._received_before = self.received
        self._is_checking = True
        return self._ranged(described)

    def cannot_check(self, response: httpx.Response) -> bool:
        """Returns whether the file has changed after the last byte, so that its end cannot be checked."""
        return self._is_checking and response.status_code == 200

    def _ranged(self, described: dict[str, Any]) -> dict[str, Any]:
        ranged = {"Range": f"bytes={self.received}-", "If-Range": self._etag}
        return {**described, "headers": {**described.get("headers", {}), **ranged}}

    def has_all(self, error: CanvassError) -> bool:
        """Returns whether the connection was closed after the last byte."""
        return error.headers is not None and error.headers.get("content-range") == f"bytes */{self.received}"

    def assert_rest(self, response: httpx.Response) -> None:
        """Checks that a response contains the rest of the same file.

        Raises:
            APIConnectionError: The file has changed.
        """
        if response.status_code != 206 and self.received > 0:
            raise APIConnectionError("The file changed after the connection was closed")
