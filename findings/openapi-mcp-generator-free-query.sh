#!/bin/bash
# Package: openapi-mcp-generator 4.0.1 (npm), which writes a server of the Model Context Protocol from an OpenAPI document.
# Expected: a query parameter that is an object of free members (`style: form`, `explode: true`) is sent as OpenAPI says:
#   one parameter of the query for each member, here `?drink=Tea&milk=1`.
# Seen on 2026-11-28: the generated tool offers the object with its free members, but sends `?answers=[object Object]`.
# For Canvass: an assistant that uses such a server cannot filter the list of responses by answers; it gets all or none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --ignore-scripts --no-audit --no-fund openapi-mcp-generator@4.0.1 @modelcontextprotocol/sdk@1.32.2 \
  axios@1.21.1 dotenv@16.6.1 zod@3.25.76 json-schema-to-zod@2.8.1 typescript@5.9.3 @types/node@22.15.2
cat > api.json <<'DOCUMENT'
{"openapi":"3.1.0","info":{"title":"Tea","version":"1"},"servers":[{"url":"http://127.0.0.1:1"}],
 "paths":{"/cups":{"get":{"operationId":"listCups","summary":"List cups","parameters":[
   {"name":"answers","in":"query","style":"form","explode":true,
    "schema":{"type":"object","additionalProperties":{"type":"string"}}}],
   "responses":{"200":{"description":"The cups","content":{"application/json":{"schema":{"type":"array"}}}}}}}}}
DOCUMENT
node_modules/.bin/openapi-mcp-generator --input api.json --output server >/dev/null 2>&1
(cd server && ../node_modules/.bin/tsc)
cat > client.mjs <<'CLIENT'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
const api = createServer((request, response) => {
  console.log(decodeURIComponent(request.url.replaceAll('+', ' ')))
  response.setHeader('content-type', 'application/json').end('[]')
  server.kill()
  api.close()
}).listen(0, '127.0.0.1')
await new Promise((resolve) => api.once('listening', resolve))
const env = { ...process.env, API_BASE_URL: `http://127.0.0.1:${api.address().port}` }
const server = spawn(process.execPath, ['server/build/index.js'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const clientInfo = { name: 'finding', version: '1' }
send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo } })
send({ method: 'notifications/initialized' })
send({ id: 2, method: 'tools/call', params: { name: 'listCups', arguments: { answers: { drink: 'Tea', milk: '1' } } } })
setTimeout(() => process.exit(1), 60_000).unref()
CLIENT
diff <(node client.mjs) - <<'SEEN' || { echo 'openapi-mcp-generator-free-query: the behaviour has changed (see above)' >&2; exit 1; }
/cups?answers=[object Object]
SEEN
echo 'openapi-mcp-generator-free-query: as described'
