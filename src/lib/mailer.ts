import { Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'
import type { Transporter } from 'nodemailer'
import type MimeNode from 'nodemailer/lib/mime-node'
import { mailErrorOf } from './mail-error.ts'
import { isLoopbackHost } from './network.ts'

export interface Mailbox {
  name: string
  address: string
}

/** An image inside a message, which the HTML shows with the address `cid:<cid>`. */
export interface InlineImage {
  cid: string
  /** The media type. */
  type: string
  bytes: Buffer
}

/** One message to one recipient. */
export interface MailMessage {
  /**
   * The Message-ID with its angle brackets. Retries use the same Message-ID, so that recipients can discard duplicates.
   */
  messageId: string
  date: Date
  from: Mailbox
  /** The address for replies; absent: `from`. */
  replyTo?: Mailbox
  to: Mailbox
  /** The envelope sender, to which messages about its delivery go; absent: the address of `from`. */
  returnPath?: string | undefined
  subject: string
  text: string
  html?: string
  images?: readonly InlineImage[]
  headers?: Readonly<Record<string, string>>
}

export interface Mailer {
  /**
   * Sends a message; resolves when the server has accepted it.
   * @throws {MailError} if the server does not accept the message
   */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>
  /**
   * Deletes stored messages to these addresses; messages that were sent cannot be recalled.
   * @returns the number of deleted messages
   */
  deleteMessagesTo(addresses: readonly string[]): Promise<number>
  close(): Promise<void>
}

/**
 * Maximum number of connections to the mail server at a time. A worker sends four emails at a time, each with up to
 * four messages at a time, and also one system email, one notification and one test email.
 */
const MAX_MAIL_CONNECTIONS = 19

/** Maximum length of an encoded line, without its end (RFC 2045, section 6.7). */
const MAX_LINE_LENGTH = 76
/** Time limits of nodemailer for a mail server that does not reply. */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 45_000 } as const
/** Maximum duration of sending one message, in case a server replies very slowly. */
const MAX_SEND_MS = 180_000

/** Returns the options of nodemailer for a message. */
export const mailOf = ({
  messageId,
  date,
  from,
  replyTo,
  to,
  returnPath,
  subject,
  text,
  html,
  images = [],
  headers,
}: MailMessage) => ({
  messageId,
  date,
  from,
  ...(replyTo && { replyTo }),
  to,
  subject,
  text,
  ...(html !== undefined && { html }),
  ...(images.length > 0 && {
    attachments: images.map(({ cid, type, bytes }) => ({
      cid,
      content: bytes,
      contentType: type,
      filename: `image.${type.split('/')[1]}`,
      contentDisposition: 'inline' as const,
    })),
  }),
  headers: { ...headers },
  envelope: { from: returnPath ?? from.address, to: [to.address] },
  disableFileAccess: true,
  disableUrlAccess: true,
})

/**
 * Returns the function that encodes a message. The encoder of nodemailer uses several streams for each part, which take
 * three times as long, and makes many small chunks, which the connection sends separately.
 */
async function openEncoder(): Promise<(message: MimeNode) => Buffer> {
  const [base64, qp] = await Promise.all([import('nodemailer/lib/base64'), import('nodemailer/lib/qp')])

  function encode({ content }: MimeNode, encoding: string | false): string {
    if (content === undefined) return ''
    if (typeof content !== 'string' && !Buffer.isBuffer(content)) throw new TypeError('The content is not in memory.')
    if (encoding === 'base64') return base64.wrap(base64.encode(content), MAX_LINE_LENGTH)
    return encoding === 'quoted-printable' ? qp.wrap(qp.encode(content), MAX_LINE_LENGTH) : content.toString()
  }

  function sourceOf(node: MimeNode): string {
    const encoding = node.getTransferEncoding()
    const own = `${node.buildHeaders()}\r\n\r\n${encode(node, encoding)}`
    if (!node.multipart) return own
    const parts = node.childNodes.map((child) => `--${node.boundary}\r\n${sourceOf(child)}`)
    return `${own}${parts.join('\r\n')}\r\n--${node.boundary}--\r\n`
  }

  return (message) => Buffer.from(sourceOf(message))
}

/** Returns a stream of one chunk, and calls `begin` when it is read. */
const streamOf = (source: Buffer, begin: () => void): Readable =>
  new Readable({
    read() {
      begin()
      this.push(source)
      this.push(null)
    },
  })

/** Creates a mailer that sends through a mail server over pooled connections. */
export function createMailer(server: MailServer, timeouts: Partial<typeof TIMEOUTS_MS> = {}): Mailer {
  const options = {
    ...transportOptions(server),
    pool: true,
    maxConnections: MAX_MAIL_CONNECTIONS,
    maxMessages: 500,
    // Credentials that the server does not take are an error, not a reason to send without them.
    forceAuth: /^\w+:\/\/[^/?#]*@/.test(server.url),
    ...TIMEOUTS_MS,
    ...timeouts,
  }
  let transport: Promise<Transporter> | undefined
  async function openTransport(): Promise<Transporter> {
    const [{ createTransport }, encode] = await Promise.all([import('nodemailer'), openEncoder()])
    const opened = createTransport(options as Parameters<typeof createTransport>[0])
    opened.use('stream', ({ message, data }, done) => {
      const { begin } = data as unknown as { begin(): void }
      try {
        const source = encode(message)
        // nodemailer does not read the stream before the server is ready for the message.
        message.createReadStream = () => streamOf(source, begin)
        done()
      } catch (error) {
        done(error as Error)
      }
    })
    return opened
  }
  return {
    async send(message, signal) {
      let begun = false
      const begin = () => {
        begun = true
      }
      const timeout = AbortSignal.timeout(MAX_SEND_MS)
      const aborted = signal ? AbortSignal.any([signal, timeout]) : timeout
      const mail = { ...mailOf(message), begin, signal: aborted }
      try {
        transport ??= openTransport()
        await (await transport).sendMail(mail as Parameters<Transporter['sendMail']>[0])
      } catch (error) {
        throw mailErrorOf(error, begun)
      }
    },
    deleteMessagesTo: async () => 0,
    close: async () => (await transport)?.close(),
  }
}

/** How TLS is used with a mail server. */
export const MAIL_TLS = ['auto', 'required', 'unverified', 'off'] as const

/** A mail server, as the settings describe it. */
export interface MailServer {
  /** `smtp://user:password@host:port` or `smtps://…`; its parameters override the other members. */
  url: string
  /**
   * For `smtp://`. `auto`: STARTTLS if the server offers it, with a valid certificate unless the server is on this
   * machine; `required`: also if it does not offer it; `unverified`: any certificate; `off`: no STARTTLS.
   */
  tls: (typeof MAIL_TLS)[number]
  /** Certificates of authorities that are trusted in addition, as PEM. */
  ca?: string | undefined
  /** The name of this server in its greeting (EHLO). */
  name?: string | undefined
}

/** Returns the options of nodemailer for a mail server, for a message as for a check. */
export function transportOptions({ url, tls, ca, name }: MailServer) {
  const acceptsAny = tls === 'unverified' || (tls === 'auto' && isLoopbackHost(new URL(url).hostname))
  return {
    url,
    ...(name && { name }),
    ...(tls === 'off' && { ignoreTLS: true }),
    ...(tls === 'required' && { requireTLS: true }),
    tls: { ...(acceptsAny && { rejectUnauthorized: false }), ...(ca && { ca: [...rootCertificates, ca] }) },
  }
}
