import type { Attachment, Email } from 'postal-mime'

/** Number of bytes of a message that are read. The report comes before the returned message, which can be large. */
export const MAX_BOUNCE_BYTES = 1_048_576

/**
 * What a message to the bounce address says. `failed`: a message is not delivered and will not be tried again; `reply` is
 * the reply of the last mail server, as far as it is known. `delayed`: it is still being tried. `complaint`: its recipient
 * has reported it as spam. `other`: nothing of this, such as an answer of a person or an out-of-office notice.
 */
export type BounceReport = { kind: 'failed'; reply: string } | { kind: 'delayed' | 'complaint' | 'other' }

const MAX_REPLY_CHARACTERS = 500
/** The part of a text that is searched: a report without a standard form names its reason at the beginning. */
const MAX_TEXT_CHARACTERS = 8_000
const LIMITS = { maxNestingDepth: 20, maxHeadersSize: 262_144, forceRfc822Attachments: true }

/** Reads a stream to its end, and returns its beginning. */
export async function readStart(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    if (length >= MAX_BOUNCE_BYTES) continue
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    length += bytes.length
  }
  return Buffer.concat(chunks).subarray(0, MAX_BOUNCE_BYTES)
}

/** Reads a message. It can be cut off after {@link MAX_BOUNCE_BYTES}. */
export async function readBounce(source: Uint8Array): Promise<BounceReport> {
  const { default: PostalMime } = await import('postal-mime')
  let email: Email
  try {
    email = await PostalMime.parse(source.subarray(0, MAX_BOUNCE_BYTES), LIMITS)
  } catch {
    // Nested too deeply, or with too many header fields.
    return { kind: 'other' }
  }
  const part = (...types: string[]) => email.attachments.find(({ mimeType }) => types.includes(mimeType))
  const status = part('message/delivery-status', 'message/global-delivery-status')
  if (status) return deliveryStatus(textOf(status), email.text ?? '')
  const feedback = part('message/feedback-report')
  if (feedback) return { kind: /^feedback-type:\s*abuse/im.test(textOf(feedback)) ? 'complaint' : 'other' }
  return isFromMailServer(email) ? proseReport(email) : { kind: 'other' }
}

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8')

/** Reads a delivery status notification (RFC 3464): blocks of fields, the first one about the message, the others about recipients. */
function deliveryStatus(text: string, prose: string): BounceReport {
  const recipients = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split(/\n[ \t]*\n/)
    .map((block) => new Map(block.split('\n').map(fieldOf)))
    .filter((fields) => fields.has('action') || fields.has('status'))
  const actionOf = (fields: ReadonlyMap<string, string>): string =>
    fields.get('action')?.toLowerCase() ?? { 5: 'failed', 4: 'delayed' }[fields.get('status')![0]!] ?? ''
  // An address that forwards to several others can have delivered the message to one of them.
  const isDelivered = recipients.some((fields) => /^(?:delivered|relayed|expanded)/.test(actionOf(fields)))
  const failed = recipients.find((fields) => actionOf(fields).startsWith('failed'))
  if (failed && !isDelivered) return { kind: 'failed', reply: replyOf(failed, prose) }
  return { kind: recipients.some((fields) => actionOf(fields).startsWith('delayed')) ? 'delayed' : 'other' }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

const withoutType = (field = ''): string => field.replace(/^[\w.-]+\s*;\s*/, '').trim()

/**
 * Returns the diagnostic code of a recipient as an SMTP reply. For an address that Exim itself rejects, the reason is only
 * in the text, after the address.
 */
function replyOf(fields: ReadonlyMap<string, string>, prose: string): string {
  const diagnostic =
    withoutType(fields.get('diagnostic-code')) || textAfter(withoutType(fields.get('final-recipient')), prose)
  const [status] = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '') ?? []
  const [, code, enhanced, text] = /^([45]\d\d)[ -]?(?:#?([45]\.\d{1,3}\.\d{1,3})\b)?\s*(.*)$/s.exec(diagnostic) ?? []
  return reply(code, enhanced ?? status, text ?? diagnostic)
}

/** Returns the paragraph after an address in a text. */
function textAfter(address: string, prose: string): string {
  const text = prose.slice(0, MAX_TEXT_CHARACTERS).replaceAll('\r', '')
  const start = address === '' ? -1 : text.toLowerCase().indexOf(address.toLowerCase())
  return start < 0
    ? ''
    : (
        text
          .slice(start + address.length)
          .replace(/^[>:\s]+/, '')
          .split('\n\n')[0] ?? ''
      ).trim()
}

const reply = (code: string | undefined, status: string | undefined, text: string): string =>
  [code ?? (status?.startsWith('4') ? '450' : '550'), status, text]
    .filter(Boolean)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_REPLY_CHARACTERS)

/** Whether a program that delivers mail wrote a message, and not a person or their out-of-office program. */
function isFromMailServer({ from, headers }: Email): boolean {
  if (headers.some(({ key }) => key === 'x-failed-recipients')) return true
  const sender = `${from?.address ?? ''} ${from?.name ?? ''}`
  return /^(?:mailer-?daemon|mail-?daemon|mdaemon|postmaster)(?:@|\b)|mail delivery|mailer-daemon/i.test(sender)
}

const DELAYED =
  /delayed|not (?:yet )?been delivered yet|will (?:be |keep |continue |try )|still (?:trying|being)|warning[: ]|no action is required|temporar(?:y|ily)/i
const GIVEN_UP =
  /permanent|giv(?:en|ing|es?) up|not going to try again|(?:could|can|was|were)(?: ?not|n't) (?:be )?deliver|undeliver|fail(?:ed|ure)|returned (?:to sender|mail)|rejected/i

/** Reads a report without a standard form, such as those of qmail: a reply or a status in a text. */
function proseReport({ subject = '', text, html = '' }: Email): BounceReport {
  const body = (text ?? html.slice(0, 8 * MAX_TEXT_CHARACTERS).replace(/<[^<>]*>/g, ' ')).slice(0, MAX_TEXT_CHARACTERS)
  const [line = '', code, status, rest] = findReply(body) ?? []
  if (status?.startsWith('5') || (!status && code?.startsWith('5')))
    return { kind: 'failed', reply: reply(code, status, rest ?? line) }
  const said = `${subject} ${body}`
  if (DELAYED.test(said) && !/permanent|giv(?:en|ing) up|not going to try again/i.test(said)) return { kind: 'delayed' }
  return GIVEN_UP.test(said) ? { kind: 'failed', reply: reply(code, status, rest ?? body) } : { kind: 'other' }
}

/** Finds the first line with an SMTP reply or an enhanced status code. A part of an IP address is none. */
function findReply(body: string): readonly [string, string | undefined, string | undefined, string?] | undefined {
  for (const line of body.split(/\r?\n/)) {
    const [, code, enhanced, rest] =
      /(?<![\d.-])([45][0-5]\d)[ -](?:#?([45]\.\d{1,3}\.\d{1,3})(?![\d.]))?[ ]*(\D.*)/.exec(line) ?? []
    if (
      code &&
      (enhanced || /\b(?:smtp|said|replied|response|error|server|user|mailbox|recipient|address)\b/i.test(line))
    )
      return [line, code, enhanced, rest]
    const [, status] = /(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/.exec(line) ?? []
    if (status) return [line.trim(), undefined, status]
  }
  return undefined
}
