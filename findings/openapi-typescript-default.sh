#!/bin/bash
# Package: openapi-typescript 7.13.0 (npm), which writes TypeScript types of an OpenAPI document.
# Expected: the types of a request are the same, whether its schema is written in place or is a component. A member that
#   has a default and is not in `required` may be absent from a request.
# Seen on 2026-11-28: in place, the member is optional (`sugar?: number`). In a component, it is required (`sugar: number`),
#   so a program that omits it does not compile. The cause is the option --default-non-nullable, which is on by default
#   and which is applied to components but not to the schemas of requests.
# For Canvass: who generates types of our contracts with it must send such members, or use --default-non-nullable false.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-save --ignore-scripts --no-audit --no-fund openapi-typescript@7.13.0 typescript@5.9.3
schema='{"type":"object","required":["tea"],"properties":{"tea":{"type":"string"},"sugar":{"type":"integer","default":1},"milk":{"type":"boolean"}}}'
# Writes a document whose request has the schema $1, and prints the types of the members.
types() {
  cat > "$1.json" <<DOCUMENT
{"openapi":"3.1.0","info":{"title":"Tea","version":"1"},
 "paths":{"/cups":{"post":{"operationId":"createCup","requestBody":{"required":true,"content":{"application/json":{"schema":$2}}},
   "responses":{"204":{"description":"Made"}}}}},
 "components":{"schemas":{$3}}}
DOCUMENT
  node_modules/.bin/openapi-typescript "$1.json" --output "$1.ts" >/dev/null
  grep -oE '\b(tea|sugar|milk)\??: \w+' "$1.ts" | paste -sd' '
}
diff <(types in-place "$schema" ''; types component '{"$ref":"#/components/schemas/Cup"}' "\"Cup\":$schema") - <<'SEEN' || { echo 'openapi-typescript-default: the behaviour has changed (see above)' >&2; exit 1; }
tea: string sugar?: number milk?: boolean
tea: string sugar: number milk?: boolean
SEEN
echo 'openapi-typescript-default: as described'
