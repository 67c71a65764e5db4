import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'
import { SMTPServer } from 'smtp-server'

/** A message that the mail server accepted. */
export interface ReceivedEmail {
  from: string
  to: string
  /** Headers by lower-case name, unfolded. */
  headers: Record<string, string>
  /** The source of the message. */
  raw: string
  /** The text part, decoded. */
  text: string
  /** The HTML part, decoded. */
  html: string
}

/**
 * How the mail server handles a recipient: it accepts the recipient, rejects it with an SMTP reply, never replies, or
 * disconnects.
 */
export type RecipientBehaviour = 'accept' | `${4 | 5}${string}` | 'stall' | 'drop' | 'drop after the message'

export interface Mailbox {
  readonly url: string
  /** The accepted messages in order. */
  messages: ReceivedEmail[]
  /** Returns the behaviour for a recipient. Tests replace it. */
  behaviour(address: string): RecipientBehaviour
  /**
   * Whether the mail server accepts connections. If it does not, it also closes each open connection at the next
   * message.
   */
  accepting: boolean
  /** The SMTP reply to each MAIL FROM; empty: it is accepted. */
  senderReply: string | (() => string)
  /** The time until the mail server accepts a message, in milliseconds. */
  delayMs: number
  /** Returns the messages to a recipient. */
  sentTo(address: string): ReceivedEmail[]
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

function read(from: string, to: string, raw: string): ReceivedEmail {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  // A part with images has a boundary of its own.
  const boundaries = [...raw.matchAll(/boundary="([^"]+)"/g)].map(([, boundary]) => boundary!)
  const parts = boundaries.reduce((all, boundary) => all.flatMap((part) => part.split(`--${boundary}`)), [raw])
  const part = (type: string) => {
    const found = parts.find((text) => new RegExp(`content-type: ${type}`, 'i').test(text.split('\r\n\r\n')[0]!))
    return found ? decoded(found.replace(/^\r\n/, '')).replaceAll('\r\n', '\n') : ''
  }
  return { from, to, headers, raw, text: part('text/plain'), html: part('text/html') }
}

const smtpError = (reply: string) =>
  Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

/**
 * Starts a mail server with a configurable behaviour for each recipient. Call it at the top of a test file, before
 * `useWorld`.
 */
export function useMailbox(): Mailbox {
  const stalled = new Set<NodeJS.Timeout>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onConnect(_, done) {
      done(mailbox.accepting ? null : smtpError('421 come back later'))
    },
    onMailFrom(_, { id }, done) {
      if (!mailbox.accepting) return disconnect(id)
      const { senderReply } = mailbox
      const reply = typeof senderReply === 'string' ? senderReply : senderReply()
      done(reply ? smtpError(reply) : null)
    },
    onRcptTo({ address }, session, done) {
      const behaviour = mailbox.behaviour(address)
      if (/^[45]/.test(behaviour)) return done(smtpError(behaviour))
      if (behaviour === 'stall') {
        stalled.add(setTimeout(done, 3_600_000))
        return
      }
      if (behaviour === 'drop') return disconnect(session.id)
      done()
    },
    onData(stream, { id, envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const [{ address } = { address: '' }] = envelope.rcptTo
        if (mailbox.behaviour(address) === 'drop after the message') return disconnect(id)
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        mailbox.messages.push(read(from, address, Buffer.concat(chunks).toString('utf8')))
        stalled.add(setTimeout(done, mailbox.delayMs))
      })
    },
  })
  server.on('error', () => undefined)
  let port = 0
  const disconnect = (id: string) => {
    for (const connection of server.connections as Set<{ id: string; _socket: { destroy(): void } }>)
      if (connection.id === id) connection._socket.destroy()
  }
  const mailbox: Mailbox = {
    get url() {
      return `smtp://127.0.0.1:${port}`
    },
    messages: [],
    behaviour: () => 'accept',
    accepting: true,
    senderReply: '',
    delayMs: 0,
    sentTo: (address) => mailbox.messages.filter(({ to }) => to === address),
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
