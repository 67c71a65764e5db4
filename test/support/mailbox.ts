import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'
import { SMTPServer } from 'smtp-server'

/** A message that the mail server took. */
export interface Taken {
  from: string
  to: string
  /** Headers by lower-case name, unfolded, as they were sent. */
  headers: Record<string, string>
  /** Everything as it was sent. */
  raw: string
  /** The text part, decoded. */
  text: string
  /** The HTML part, decoded. */
  html: string
}

/** What the mail server does with a recipient: takes it, says a reply, never answers, or cuts the line. */
export type Manner = 'take' | `${4 | 5}${string}` | 'stall' | 'drop' | 'drop after the message'

export interface Mailbox {
  readonly url: string
  /** What it has taken, in order. */
  taken: Taken[]
  /** Decides for each recipient; tests replace it. */
  manner(address: string): Manner
  /** Whether it lets anybody in; lines that are open are cut when it does not. */
  open: boolean
  /** How long it thinks about a message, in milliseconds. */
  pause: number
  to(address: string): Taken[]
}

const decoded = (part: string): string => {
  const end = part.indexOf('\r\n\r\n')
  const [head, body] = [part.slice(0, end), part.slice(end + 4)]
  if (/encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8')
  if (!/encoding: quoted-printable/i.test(head)) return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function read(from: string, to: string, raw: string): Taken {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary ? raw.split(`--${boundary}`) : [raw]
  const part = (type: string) => {
    const found = parts.find((one) => new RegExp(`content-type: ${type}`, 'i').test(one.split('\r\n\r\n')[0]!))
    return found ? decoded(found.replace(/^\r\n/, '')).replaceAll('\r\n', '\n') : ''
  }
  return { from, to, headers, raw, text: part('text/plain'), html: part('text/html') }
}

const refusal = (reply: string) => Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

/** Call at the top of a test file, before `useWorld`: a real mail server that does to each recipient what a test says. */
export function useMailbox(): Mailbox {
  const stalled = new Set<NodeJS.Timeout>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onConnect(_, done) {
      done(mailbox.open ? null : refusal('421 come back later'))
    },
    onMailFrom(_, { id }, done) {
      if (mailbox.open) done()
      else cut(id)
    },
    onRcptTo({ address }, session, done) {
      const manner = mailbox.manner(address)
      if (/^[45]/.test(manner)) return done(refusal(manner))
      if (manner === 'stall') {
        stalled.add(setTimeout(done, 3_600_000))
        return
      }
      if (manner === 'drop') return cut(session.id)
      done()
    },
    onData(stream, { id, envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const [{ address } = { address: '' }] = envelope.rcptTo
        if (mailbox.manner(address) === 'drop after the message') return cut(id)
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        mailbox.taken.push(read(from, address, Buffer.concat(chunks).toString('utf8')))
        stalled.add(setTimeout(done, mailbox.pause))
      })
    },
  })
  server.on('error', () => undefined)
  let port = 0
  const cut = (id: string) => {
    for (const connection of server.connections as Set<{ id: string; _socket: { destroy(): void } }>)
      if (connection.id === id) connection._socket.destroy()
  }
  const mailbox: Mailbox = {
    get url() {
      return `smtp://127.0.0.1:${port}`
    },
    taken: [],
    manner: () => 'take',
    open: true,
    pause: 0,
    to: (address) => mailbox.taken.filter(({ to }) => to === address),
  }
  beforeAll(async () => {
    const listening = server.listen(0, '127.0.0.1')
    await once(listening, 'listening')
    port = (listening.address() as AddressInfo).port
  })
  afterAll(async () => {
    for (const timer of stalled) clearTimeout(timer)
    await new Promise<void>((resolve) => server.close(resolve))
  })
  return mailbox
}
