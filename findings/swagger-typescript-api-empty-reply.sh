#!/bin/bash
# Package: swagger-typescript-api 13.13.0 (npm), which writes a client in TypeScript of an OpenAPI document.
# Expected: a reply without a body, which the document declares for 202, is a success without data.
# Seen on 2026-11-28: if another reply of the operation has JSON, the client reads the empty body as JSON. The call succeeds
#   (`ok` is true), and its `error` is a SyntaxError. A program that looks at `error` repeats what was accepted.
# For Canvass: operations that answer 202 or 204 without a body beside a reply with one are read wrongly by such clients.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-save --ignore-scripts --no-audit --no-fund swagger-typescript-api@13.13.0 typescript@5.9.3
cat > cups.json <<'DOCUMENT'
{"openapi":"3.1.0","info":{"title":"Cups","version":"1"},
 "paths":{"/cups":{"post":{"operationId":"addCup",
   "responses":{"201":{"description":"Added","content":{"application/json":{"schema":{"type":"object"}}}},
     "202":{"description":"Accepted"}}}}}}
DOCUMENT
node_modules/.bin/swagger-typescript-api generate --path cups.json --output . --name client.ts >/dev/null
node_modules/.bin/tsc --target es2022 --module es2022 --skipLibCheck client.ts >/dev/null || true
mv client.js client.mjs
cat > call.mjs <<'PROGRAM'
import { createServer } from 'node:http'
import { Api } from './client.mjs'

const server = createServer((_request, response) => response.writeHead(202).end())
server.listen(0, '127.0.0.1', async () => {
  const { status, ok, data, error } = await new Api({ baseUrl: `http://127.0.0.1:${server.address().port}` }).cups.addCup()
  console.log(status, ok, data, error?.name)
  server.close()
})
PROGRAM
diff <(node call.mjs) - <<'SEEN' || { echo 'swagger-typescript-api-empty-reply: the behaviour has changed (see above)' >&2; exit 1; }
202 true null SyntaxError
SEEN
echo 'swagger-typescript-api-empty-reply: as described'
