#!/bin/bash
# Packages: @sparticuz/chromium 153.0.0 (npm, Chromium 153) with playwright-core 1.65.1, and the Content Security Policy.
# Expected: the form of a consent page may redirect to the loopback addresses of native applications (RFC 8252, 7.3: both
#   http://127.0.0.1:PORT and http://[::1]:PORT), if `form-action` of the page names exactly that origin.
# Seen on 2026-11-28: the redirect to 127.0.0.1 arrives. The redirect to [::1] is blocked, because Chromium ignores the source
#   `http://[::1]:PORT` as invalid: the grammar of host-source (CSP 3, 2.3.1) has no IPv6 addresses. Only `http:` permits it,
#   and with it every host.
# For Canvass: the consent page names the scheme instead of the origin for applications that use [::1].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-save --no-audit --no-fund @sparticuz/chromium@153.0.0 playwright-core@1.65.1
cat > consent.mjs <<'PROGRAM'
import { createServer } from 'node:http'
import chromium from '@sparticuz/chromium'
import { chromium as playwright } from 'playwright-core'

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x')
  const origin = `http://${searchParams.get('host')}:${server.address().port}`
  if (pathname === '/callback') return response.setHeader('content-type', 'text/html').end('<title>arrived</title>')
  if (request.method === 'POST') return response.writeHead(303, { location: `${origin}/callback` }).end()
  response.setHeader('content-type', 'text/html')
  response.setHeader('content-security-policy', `form-action 'self' ${origin}`)
  response.end('<title>blocked</title><form method="post"><button>Allow</button></form>')
}).listen(0, '::')
await new Promise((resolve) => server.once('listening', resolve))
const browser = await playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args })
for (const host of ['127.0.0.1', '[::1]']) {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/?host=${host}`)
  await page.click('button')
  await page.waitForTimeout(1000)
  console.log(host, await page.title())
}
await browser.close()
server.close()
PROGRAM
export TMPDIR=$folder AWS_EXECUTION_ENV=AWS_Lambda_nodejs24.x LD_LIBRARY_PATH=$folder/al2023/lib
diff <(node consent.mjs) - <<'SEEN' || { echo 'chromium-csp-ipv6: the behaviour has changed (see above)' >&2; exit 1; }
127.0.0.1 arrived
[::1] blocked
SEEN
echo 'chromium-csp-ipv6: as described'
