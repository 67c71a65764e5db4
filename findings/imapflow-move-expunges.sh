#!/bin/bash
# Package: imapflow 2.10.2 (npm), the IMAP client.
# Expected: messageMove(range, folder) removes only the messages of the range from the current folder.
# Seen on 2026-11-28: at a server with neither MOVE (RFC 6851) nor UIDPLUS (RFC 4315), it copies the messages, marks them
#   as deleted and sends EXPUNGE, which removes all messages for good that any program has marked as deleted. The
#   documentation of messageMove does not mention it.
# For Canvass: at such a server, messages of the bounce mailbox are copied and marked as read (src/lib/imap-mailbox.ts).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-package-lock --ignore-scripts imapflow@2.10.2 >/dev/null
cat > move.mjs <<'SCRIPT'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { ImapFlow } from 'imapflow'
const server = createServer((socket) => {
  const say = (line) => socket.write(`${line}\r\n`)
  const replies = {
    CAPABILITY: ['* CAPABILITY IMAP4rev1'],
    LIST: ['* LIST (\\Noselect) "/" ""'],
    SELECT: ['* 2 EXISTS', '* OK [UIDVALIDITY 1] valid', '* OK [UIDNEXT 3] next'],
  }
  say('* OK [CAPABILITY IMAP4rev1] ready')
  createInterface(socket).on('line', (line) => {
    const [tag, ...command] = line.split(' ')
    if (/COPY|STORE|EXPUNGE|MOVE/.test(line)) console.log(command.join(' '))
    for (const reply of replies[command[0]] ?? []) say(reply)
    say(`${tag} OK done`)
  })
}).listen(0, '127.0.0.1', async () => {
  const { port } = server.address()
  const auth = { user: 'ann', pass: 'secret' }
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, auth, logger: false, disableAutoIdle: true })
  await client.connect()
  await client.mailboxOpen('INBOX')
  await client.messageMove('1', 'Archive', { uid: true })
  await client.logout()
  server.close()
})
SCRIPT
diff <(node move.mjs) - <<'SEEN' || { echo 'imapflow-move-expunges: the behaviour has changed (see above)' >&2; exit 1; }
UID COPY 1 Archive
UID STORE 1 +FLAGS.SILENT (\Deleted)
EXPUNGE
SEEN
