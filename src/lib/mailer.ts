import { Readable } from 'node:stream'
import { createTransport } from 'nodemailer'
import { mailErrorOf } from './mail-error.ts'

export interface Mailbox {
  name: string
  address: string
}

/** One message to one recipient. */
export interface MailMessage {
  /** With its angle brackets. The same letter sent again has the same, so that a double can be told. */
  messageId: string
  date: Date
  from: Mailbox
  /** Where answers go; absent: to `from`. */
  replyTo?: Mailbox
  to: Mailbox
  subject: string
  text: string
  html?: string
  headers?: Readonly<Record<string, string>>
}

export interface Mailer {
  /** Hands a letter over; resolves when the other side has taken it. @throws {MailError} when it did not say so */
  send(letter: MailMessage, signal?: AbortSignal): Promise<void>
  /** Deletes what is kept of letters to some addresses; what was sent is out of reach. @returns how many letters */
  forget(addresses: readonly string[]): Promise<number>
  close(): Promise<void>
}

/** Connections to the mail server at the same time. */
export const MAX_MAIL_CONNECTIONS = 12

/** Milliseconds without a sign of life from the mail server. */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 45_000 } as const
/** Milliseconds for one letter in all, for a server that trickles. */
const MAX_SEND_MS = 180_000

/** What nodemailer is told of a letter. Names of headers stay as they are written here. */
export const mailOf = ({ messageId, date, from, replyTo, to, subject, text, html, headers }: MailMessage) => ({
  messageId,
  date,
  from,
  ...(replyTo && { replyTo }),
  to,
  subject,
  text,
  ...(html !== undefined && { html }),
  headers: { ...headers },
  envelope: { from: from.address, to: [to.address] },
  disableFileAccess: true,
  disableUrlAccess: true,
})

/** Reads a message lazily, and says when the first of it is read. */
async function* reading(message: Readable, begin: () => void): AsyncGenerator<Buffer> {
  begin()
  yield* message
}

/**
 * Sends through a mail server, over connections that are kept.
 * @param url `smtp://user:password@host:port` (STARTTLS where the server offers it) or `smtps://…`
 */
export function createMailer(url: string, patience: Partial<typeof TIMEOUTS_MS> = {}): Mailer {
  const options = {
    url,
    pool: true,
    maxConnections: MAX_MAIL_CONNECTIONS,
    maxMessages: 500,
    ...TIMEOUTS_MS,
    ...patience,
  }
  const transport = createTransport(options as Parameters<typeof createTransport>[0])
  // The stream that nodemailer sends is not read before the server is ready for the message.
  transport.use('stream', (mail, done) => {
    const { begin } = mail.data as unknown as { begin(): void }
    mail.message.processFunc((message) => Readable.from(reading(message as Readable, begin), { objectMode: false }))
    done()
  })
  return {
    async send(message, signal) {
      let begun = false
      const begin = () => {
        begun = true
      }
      const patient = AbortSignal.timeout(MAX_SEND_MS)
      const ends = signal ? AbortSignal.any([signal, patient]) : patient
      const mail = { ...mailOf(message), begin, signal: ends }
      try {
        await transport.sendMail(mail as Parameters<typeof transport.sendMail>[0])
      } catch (error) {
        throw mailErrorOf(error, begun)
      }
    },
    forget: async () => 0,
    close: async () => transport.close(),
  }
}
