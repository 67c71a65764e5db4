#!/bin/bash
# Package: openapi-zod-client 1.18.3 (npm), which writes Zod schemas and a client of an OpenAPI document.
# Expected: a member that may be null keeps its type and limits: an integer from 1 to 150 or null.
# Seen on 2026-11-28: with the types of OpenAPI 3.1 (`[integer, "null"]`) it becomes any number or null. Without null, the
#   same limits are kept. A `const` is checked in neither case: it becomes a value of any kind.
# For Canvass: members that may be null are written in this way in our contracts. A program with this client sends 0.5 or
#   -1, and reads the limit in our error instead of in its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-save --ignore-scripts --no-audit --no-fund openapi-zod-client@1.18.3
cat > people.json <<'DOCUMENT'
{"openapi":"3.1.0","info":{"title":"People","version":"1"},
 "paths":{"/people":{"post":{"operationId":"addPerson",
   "requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Person"}}}},
   "responses":{"204":{"description":"Added"}}}}},
 "components":{"schemas":{"Person":{"type":"object","properties":{
   "age":{"type":"integer","minimum":1,"maximum":150},
   "years":{"type":["integer","null"],"minimum":1,"maximum":150},
   "kind":{"const":"person"}}}}}}
DOCUMENT
node_modules/.bin/openapi-zod-client people.json -o people.ts >/dev/null
diff <(grep -oE '(age|years|kind): .*' people.ts) - <<'SEEN' || { echo 'openapi-zod-client-nullable: the behaviour has changed (see above)' >&2; exit 1; }
age: z.number().int().gte(1).lte(150),
years: z.union([z.number(), z.null()]),
kind: z.unknown(),
SEEN
echo 'openapi-zod-client-nullable: as described'
