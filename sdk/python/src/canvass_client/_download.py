from __future__ import annotations

from typing import Any

import httpx

from ._error import APIConnectionError, CanvassError


class Download:
    """The state of a download that continues after a broken connection."""

    def __init__(self, response: httpx.Response) -> None:
        headers = response.headers
        # A compressed file cannot be continued. ``Range`` counts compressed bytes, but only the number of decompressed
        # bytes is known here.
        can_resume = response.status_code == 200 and "content-encoding" not in headers
        self._etag = headers.get("etag") if can_resume else None
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
