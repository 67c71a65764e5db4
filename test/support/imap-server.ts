import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll } from '@jest/globals'

/** A message in a folder of the server. */
export interface StoredMessage {
  uid: number
  source: string
  isSeen: boolean
}

/** An IMAP server (RFC 3501 and MOVE) with one account, `ann` and `secret`, and two folders. */
export interface ImapServer {
  readonly port: number
  folders: Record<string, StoredMessage[]>
  /** Adds a message to INBOX. */
  add(source: string): void
  /** All commands of clients so far, without literals. */
  commands: string[]
}

/** Starts an IMAP server before the tests of a file. Call it at the top of a test file. */
export function useImapServer(): ImapServer {
  let port = 0
  let uid = 0
  const imap: ImapServer = {
    get port() {
      return port
    },
    folders: { INBOX: [], Bounces: [] },
    commands: [],
    add: (source) => imap.folders.INBOX!.push({ uid: ++uid, source, isSeen: false }),
  }
  const server = createServer((socket) => serve(socket, imap))
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return imap
}

const unquoted = (text = '') => text.replace(/^"|"$/g, '')

function serve(socket: Socket, imap: ImapServer): void {
  let selected = 'INBOX'
  const say = (line: string) => socket.write(`${line}\r\n`)
  const folder = () => imap.folders[selected]!
  const matching = (range: string) => folder().filter((message) => range.split(',').includes(String(message.uid)))
  socket.on('error', () => undefined)
  say('* OK [CAPABILITY IMAP4rev1 MOVE UIDPLUS] ready')
  createInterface(socket).on('line', (line) => {
    const [, tag = '*', command = '', rest = ''] = /^(\S+) (UID \S+|\S+) ?(.*)$/i.exec(line) ?? []
    imap.commands.push(`${command} ${rest}`.trim())
    const ok = (text = 'done') => say(`${tag} OK ${text}`)
    switch (command.toUpperCase()) {
      case 'LOGIN':
        return /"?ann"? "?secret"?/.test(rest) ? ok() : say(`${tag} NO [AUTHENTICATIONFAILED] wrong password`)
      case 'CAPABILITY':
        say('* CAPABILITY IMAP4rev1 MOVE UIDPLUS')
        return ok()
      case 'LIST':
        // An empty pattern asks for the root.
        if (/""$/.test(rest)) say('* LIST (\\Noselect) "/" ""')
        else for (const name of Object.keys(imap.folders)) say(`* LIST () "/" "${name}"`)
        return ok()
      case 'STATUS': {
        const name = unquoted(rest.split(' ')[0])
        if (!imap.folders[name]) return say(`${tag} NO [NONEXISTENT] there is no such folder`)
        say(`* STATUS "${name}" (MESSAGES ${imap.folders[name].length})`)
        return ok()
      }
      case 'SELECT': {
        const name = unquoted(rest)
        if (!imap.folders[name]) return say(`${tag} NO [NONEXISTENT] there is no such folder`)
        selected = name
        say(`* ${folder().length} EXISTS`)
        say('* OK [UIDVALIDITY 7] valid')
        say(`* OK [UIDNEXT ${folder().length + 1}] next`)
        return ok('[READ-WRITE] selected')
      }
      case 'UID SEARCH':
        say(
          `* SEARCH ${folder()
            .filter(({ isSeen }) => !isSeen)
            .map((message) => message.uid)
            .join(' ')}`.trim(),
        )
        return ok()
      case 'UID FETCH': {
        const [range = '', ...items] = rest.split(' ')
        const max = Number(/<0\.(\d+)>/.exec(items.join(' '))?.[1] ?? Number.MAX_SAFE_INTEGER)
        for (const { uid, source } of matching(range)) {
          const part = source.slice(0, max)
          say(
            `* ${folder().findIndex((message) => message.uid === uid) + 1} FETCH (UID ${uid} BODY[]<0> {${part.length}}`,
          )
          say(`${part})`)
        }
        return ok()
      }
      case 'UID STORE':
        for (const message of matching(rest.split(' ')[0]!)) message.isSeen = true
        return ok()
      case 'UID MOVE': {
        const [range = '', target] = rest.split(' ')
        const moved = matching(range)
        if (!imap.folders[unquoted(target)]) return say(`${tag} NO [TRYCREATE] there is no such folder`)
        for (const message of moved) {
          say(`* ${folder().indexOf(message) + 1} EXPUNGE`)
          folder().splice(folder().indexOf(message), 1)
          imap.folders[unquoted(target)]!.push(message)
        }
        return ok(`[COPYUID 7 ${range} ${range}] moved`)
      }
      case 'LOGOUT':
        say('* BYE')
        ok()
        return socket.end()
      default:
        return ok()
    }
  })
}
