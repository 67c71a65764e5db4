#!/bin/bash
# Package: openapi-to-postmanv2 6.3.3 (npm), with which Postman imports an OpenAPI document.
# Expected: the sample of a request has the only value that a `const` allows, and a text that a `pattern` allows.
# Seen on 2026-11-28: a `const` becomes an empty text, so that the request that one sends first is refused. An enumeration
#   with one value is right. The letters of a Unicode class (`^\p{L}+$`) become the characters of the class's name.
# For Canvass: our contracts have examples for every request, which Postman uses instead of samples.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-save --ignore-scripts --no-audit --no-fund openapi-to-postmanv2@6.3.3
cat > cups.json <<'DOCUMENT'
{"openapi":"3.1.0","info":{"title":"Cups","version":"1"},"servers":[{"url":"http://127.0.0.1"}],
 "paths":{"/cups":{"post":{"operationId":"addCup",
   "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["kind","size","name"],"properties":{
     "kind":{"const":"cup"},"size":{"type":"string","enum":["small"]},"name":{"type":"string","pattern":"^\\p{L}{3}$"}}}}}},
   "responses":{"204":{"description":"Added"}}}}}}
DOCUMENT
cat > convert.mjs <<'PROGRAM'
import { readFileSync } from 'node:fs'
import converter from 'openapi-to-postmanv2'

const data = readFileSync('cups.json', 'utf8')
converter.convertV2({ type: 'string', data }, {}, (_error, { output }) => {
  const find = (items) => items.flatMap(({ item, request }) => (item ? find(item) : [request]))
  const sample = JSON.parse(find(output[0].data.item)[0].body.raw)
  console.log(JSON.stringify(sample.kind), JSON.stringify(sample.size), /^\p{L}{3}$/u.test(sample.name))
})
PROGRAM
diff <(node convert.mjs) - <<'SEEN' || { echo 'postman-const: the behaviour has changed (see above)' >&2; exit 1; }
"" "small" false
SEEN
echo 'postman-const: as described'
