#!/bin/bash
# Package: openapi-python-client 0.29.1 (PyPI), a generator of Python clients from OpenAPI documents.
# Expected: `title` is an annotation (JSON Schema 2020-12, validation 9.1), so two inline schemas can have the same one.
# Seen on 2026-11-29: if two members of a body have an inline object with the same title in `anyOf`, the generator leaves
#   the schema of the body out, and with it the function of the operation. It prints a warning to the error stream and
#   exits with 0. With different titles, the operation is there.
# For Canvass: its Python client is generated with --fail-on-warning, and such titles in the contract are different.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv .
bin/pip install --quiet --disable-pip-version-check openapi-python-client==0.29.1
# Prints the exit code and the names of the generated operations.
operations() { # the titles of the two objects
  cat > api.json <<DOCUMENT
{
  "openapi": "3.1.0",
  "info": { "title": "Looks", "version": "1" },
  "paths": { "/look": { "put": { "operationId": "setLook",
    "requestBody": { "content": { "application/json": { "schema": { "\$ref": "#/components/schemas/Look" } } } },
    "responses": { "204": { "description": "Stored" } } } } },
  "components": { "schemas": { "Look": { "type": "object", "properties": {
    "logo": { "anyOf": [{ "type": "string" }, { "title": "$1", "type": "object" }] },
    "cover": { "anyOf": [{ "type": "string" }, { "title": "$2", "type": "object" }] } } } } }
}
DOCUMENT
  code=0
  bin/openapi-python-client generate --path api.json --meta none --overwrite --output-path looks >/dev/null 2>&1 || code=$?
  echo "$code" $(find looks/api -name '*look*.py' -exec basename {} .py \;)
}
diff <(operations Same Same; operations LogoKept CoverKept) - <<'SEEN' || { echo 'openapi-python-client-titles: the behaviour has changed (see above)' >&2; exit 1; }
0
0 set_look
SEEN
echo 'openapi-python-client-titles: as described'
