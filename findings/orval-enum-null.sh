#!/bin/bash
# Package: orval 8.38.0 (npm), which writes a client in TypeScript of an OpenAPI document.
# Expected: an enumeration of texts and numbers that may be null becomes an object with one member for each value.
# Seen on 2026-11-28: with the types of OpenAPI 3.1 each member is written twice, so that TypeScript refuses the client
#   (TS1117). The same enumeration of one type is written correctly.
# For Canvass: our contracts have no enumeration with several types; one would break the clients of these users.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-save --ignore-scripts --no-audit --no-fund orval@8.38.0 typescript@5.9.3
cat > cups.json <<'DOCUMENT'
{"openapi":"3.1.0","info":{"title":"Cups","version":"1"},
 "paths":{"/cups":{"get":{"operationId":"getCup",
   "responses":{"200":{"description":"A cup","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Cup"}}}}}}}},
 "components":{"schemas":{"Cup":{"type":"object","properties":{
   "size":{"type":["string","null"],"enum":["small","large",null]},
   "rank":{"type":["string","integer","null"],"enum":["first",2,null]}}}}}}
DOCUMENT
node_modules/.bin/orval --input cups.json --output client.ts --client fetch >/dev/null 2>&1
errors() { node_modules/.bin/tsc --noEmit --target es2022 --module es2022 --lib es2022,dom client.ts | grep -o 'TS[0-9]*' | sort | uniq -c | xargs; }
diff <(grep -oE '(small|large|first|NUMBER_2):' client.ts | xargs; errors) - <<'SEEN' || { echo 'orval-enum-null: the behaviour has changed (see above)' >&2; exit 1; }
small: large: first: NUMBER_2: first: NUMBER_2:
2 TS1117
SEEN
echo 'orval-enum-null: as described'
