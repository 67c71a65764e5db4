#!/bin/bash
# Package: openapi-python-client 0.29.1 (PyPI), a generator of Python clients from OpenAPI documents.
# Expected: a reply that the document declares is a documented reply, also if the generator cannot parse its media type;
#   the client would return its bytes.
# Seen on 2026-11-28: for a 200 with application/x-ndjson, the generator prints a warning, exits with 0, and leaves the
#   reply out. The generated client then raises UnexpectedStatus for this 200 if it was told to raise on undocumented
#   statuses, and otherwise parses nothing. A 200 with text/csv in the same document is a text.
# For Canvass: its Python client overrides the media types of exports (JSON Lines, Parquet) when it is generated.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv .
bin/pip install --quiet --disable-pip-version-check openapi-python-client==0.29.1
cat > api.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": { "title": "Rows", "version": "1" },
  "paths": {
    "/lines": { "get": { "operationId": "getLines", "responses": { "200": { "description": "Rows", "content": {
      "application/x-ndjson": { "schema": { "type": "string" } } } } } } },
    "/table": { "get": { "operationId": "getTable", "responses": { "200": { "description": "Rows", "content": {
      "text/csv": { "schema": { "type": "string" } } } } } } }
  }
}
DOCUMENT
bin/openapi-python-client generate --path api.json --meta none --output-path rows >/dev/null 2>&1
cat > call.py <<'PROGRAM'
import httpx
from rows import Client
from rows.api.default import get_lines, get_table

reply = httpx.MockTransport(lambda request: httpx.Response(200, text="1\n2\n"))
for raises in [False, True]:
    client = Client(base_url="http://rows.example", raise_on_unexpected_status=raises, httpx_args={"transport": reply})
    for operation in [get_lines, get_table]:
        try:
            result = repr(operation.sync_detailed(client=client).parsed)
        except Exception as error:
            result = type(error).__name__
        print(operation.__name__.split(".")[-1], raises, result)
PROGRAM
diff <(bin/python call.py) - <<'SEEN' || { echo 'openapi-python-client-json-lines: the behaviour has changed (see above)' >&2; exit 1; }
get_lines False None
get_table False '1\n2\n'
get_lines True UnexpectedStatus
get_table True '1\n2\n'
SEEN
echo 'openapi-python-client-json-lines: as described'
