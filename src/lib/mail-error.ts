/**
 * What a failure to send a message concerns. `rejected`: this recipient, for good. `deferred`: this recipient, for now.
 * `limited`: the number of messages of this installation, for now. `refused`: this installation, until somebody changes
 * something. `misconfigured`: the settings of this installation. `unreachable`: the connection.
 */
export type MailFailure = 'rejected' | 'deferred' | 'limited' | 'refused' | 'misconfigured' | 'unreachable'

/** The cause of a failure, with what it concerns. */
const FAILURES = {
  recipient: 'rejected',
  later: 'deferred',
  limit: 'limited',
  relay: 'refused',
  sender: 'refused',
  blocked: 'refused',
  size: 'refused',
  policy: 'refused',
  credentials: 'misconfigured',
  'no login': 'misconfigured',
  encryption: 'misconfigured',
  certificate: 'misconfigured',
  host: 'misconfigured',
  connection: 'unreachable',
} as const satisfies Record<string, MailFailure>

export type MailCause = keyof typeof FAILURES

/** The step of the SMTP dialogue that a reply answers. */
export type MailStage = 'connect' | 'login' | 'sender' | 'recipient' | 'message'

/** An error while a message is sent; `message` is the reply of the server or the connection error. */
export class MailError extends Error {
  override readonly name = 'MailError'
  readonly reason: MailCause
  readonly failure: MailFailure
  /** Whether the server had accepted the sender, and may accept another message. */
  readonly concernsMessage: boolean

  constructor(reason: MailCause, message: string, concernsMessage = false) {
    super(message)
    this.reason = reason
    this.failure = FAILURES[reason]
    this.concernsMessage = concernsMessage
  }

  /** Whether the next message may fail in the same way, so that sending must pause. */
  get stopsSending(): boolean {
    return this.failure === 'limited' || this.failure === 'refused' || this.failure === 'misconfigured'
  }
}

/** The maximum number of characters of a reply that is stored and shown. */
const MAX_REPLY_CHARACTERS = 500

/** Reply codes that ask for a login or do not accept it (RFC 4954, section 6). */
const LOGIN_CODES = new Set([432, 530, 534, 535, 538])

/** Detail codes of 5.1 and 5.7 (RFC 3463, 7372 and 7505, and the list of Exchange) that do not concern what their class says. */
const SENDER_ADDRESS = /^[45]\.1\.(?:7|8|20|21)$/
const RECIPIENT_POLICY = /^5\.7\.(?:2|13|15|17|18|120|121|124|129|13\d|193)$/

const MAILBOX_FULL = /(?:mailbox|inbox|account|user|recipient)[^.;]{0,60}(?:full|quota|storage)|over ?quota/i
const TOO_LARGE = /too (?:big|large)|(?:message|mail|file) (?:file )?(?:size|length)|size (?:exceeds|limit)/i
const LIMIT =
  /too (?:many|much|fast)|\brate\b|ratelimit|throttl|slow down|(?:limit|quota)\S*[^.;]{0,60}(?:exceed|reach)|(?:exceed|reach)\S*[^.;]{0,60}(?:limit|quota)|temporarily deferred due to/i
const GREYLISTED = /gr[ea]y-? ?list|postgrey/i
const SENDER = /\bsender|mail from|return[- ]path|envelope from|not owned by/i
const NO_RECIPIENT =
  /no such (?:user|recipient|mailbox|person|address|domain)|(?:user|recipient|mailbox|address|account|domain)(?: name)?(?: is| was)? (?:unknown|not found|not known|disabled|inactive|suspended|unavailable|invalid|does(?: not|n't) exist|not allowed)|(?:unknown|invalid|bad|inactive|undeliverable|unrouteable|non-?existent) (?:user|recipient|mailbox|address|account|local|destination)|does(?: not|n't) exist|no (?:mailbox|user) (?:here|by)|not a valid (?:user|mailbox|recipient)|host or domain name not found/i
const RELAY =
  /relay|rcpthosts|not (?:permitted|allowed|authori[sz]ed) to send|cannot deliver mail for|authenticat|not local/i
const BLOCKED = /block|black ?-?list|spamhaus|reputation|\bbanned\b|\b(?:rbl|dnsbl)\b|listed|client host|access denied/i
const PROHIBITED = /prohibit|policy|\bspam\b/i
const NEEDS_TLS = /starttls|\btls\b|encrypt/i

/**
 * Returns the cause of a 4xx or 5xx reply, by the stage of the dialogue, the reply code, the enhanced status code and,
 * where these leave it open, the text.
 * @param reply one or more lines
 */
export function causeOfReply(stage: MailStage, reply: string): MailCause {
  const [, code = '500', status = ''] = /^(\d{3})[ -]?(?:([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(reply.trim()) ?? []
  // The address of a recipient must not decide what a reply means.
  const text = reply.slice(0, MAX_REPLY_CHARACTERS).replace(/\S*@\S*/g, '<>')
  const number = Number(code)
  if (number === 421) return 'limit'
  if (LOGIN_CODES.has(number)) return NEEDS_TLS.test(text) ? 'encryption' : 'credentials'
  return number < 500 ? causeForNow(stage, status, text) : causeForGood(stage, number, status, text)
}

function causeForNow(stage: MailStage, status: string, text: string): MailCause {
  if (stage === 'connect' || stage === 'login' || stage === 'sender') return 'limit'
  if (/^4\.[124]\./.test(status) || MAILBOX_FULL.test(text) || GREYLISTED.test(text)) return 'later'
  return /^4\.[35]\./.test(status) || LIMIT.test(text) ? 'limit' : 'later'
}

function causeForGood(stage: MailStage, code: number, status: string, text: string): MailCause {
  if (stage === 'login') return [500, 502, 503, 504].includes(code) ? 'no login' : 'credentials'
  const concernsRecipient = stage === 'recipient' || stage === 'message'
  if (concernsRecipient && /^5\.2\.[1-4]$/.test(status)) return 'recipient'
  if (/^5\.3\.4$/.test(status) || TOO_LARGE.test(text)) return 'size'
  if (!(concernsRecipient && MAILBOX_FULL.test(text)) && (status === '5.4.5' || LIMIT.test(text))) return 'limit'
  if (SENDER_ADDRESS.test(status)) return 'sender'
  if (concernsRecipient) {
    if (/^5\.[124]\./.test(status) || status === '5.6.7' || RECIPIENT_POLICY.test(status)) return 'recipient'
    if (/^5\.7\.2[0-9]$/.test(status)) return 'sender'
  }
  if (stage === 'sender') return RELAY.test(text) ? 'relay' : BLOCKED.test(text) ? 'blocked' : 'sender'
  const isOpen = !/^5\.[37]\./.test(status)
  if (concernsRecipient && isOpen && !SENDER.test(text) && (NO_RECIPIENT.test(text) || MAILBOX_FULL.test(text)))
    return 'recipient'
  if (RELAY.test(text)) return 'relay'
  if (SENDER.test(text)) return 'sender'
  if (BLOCKED.test(text)) return 'blocked'
  if (PROHIBITED.test(text)) return 'policy'
  // Without a status, the reply code says what was not accepted (RFC 5321, section 4.2.3; RFC 7504).
  const isMailboxCode = [501, 510, 511, 550, 551, 552, 553, 556].includes(code)
  return stage === 'recipient' && (status === '' || status === '5.0.0') && isMailboxCode ? 'recipient' : 'policy'
}

/** Status codes of a full mailbox and of a mail server that was not reached for days: the address can exist. */
const EXISTING_ADDRESS = /^\d{3}[ -](?:5\.2\.2|5\.4\.7)\b/

/** Whether a 4xx or 5xx reply about a message means that the address of its recipient does not exist. */
export const endsAddress = (reply: string): boolean =>
  causeOfReply('message', reply) === 'recipient' && !EXISTING_ADDRESS.test(reply) && !MAILBOX_FULL.test(reply)

interface SmtpError {
  /** The kind of error of nodemailer; of the operating system or OpenSSL if `originalCode` is absent. */
  code?: string
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
  message: string
}

const STAGES: Readonly<Record<string, MailStage>> = { 'MAIL FROM': 'sender', 'RCPT TO': 'recipient', DATA: 'message' }

const stageOf = ({ command = '' }: SmtpError): MailStage =>
  STAGES[command] ?? (command.startsWith('AUTH') ? 'login' : 'connect')

/** Codes and texts of TLS certificates that are not accepted. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|certificate|altnames/
const TLS = /SSL|TLS|wrong version number/

/** Returns the cause of an error without a reply of the server; undefined if it is an error of the connection. */
function causeOfFault({ code = '', originalCode = '', message, command }: SmtpError): MailCause | undefined {
  if (code === 'EDNS' || originalCode === 'ENOTFOUND') return 'host'
  if (code === 'ENOAUTH') return 'no login'
  if (code === 'EAUTH')
    return command === 'API' || /no mechanism|Missing credentials/i.test(message) ? 'no login' : 'credentials'
  const isTransport = code === 'ESOCKET' || code === 'ETLS' || code === 'EREQUIRETLS' || code === 'ECONNECTION'
  if (isTransport && CERTIFICATE.test(`${originalCode} ${message}`)) return 'certificate'
  if (code === 'ETLS' || code === 'EREQUIRETLS' || (isTransport && TLS.test(`${originalCode} ${message}`)))
    return 'encryption'
  if (code === 'EENVELOPE') return message.startsWith('Invalid sender') ? 'sender' : 'recipient'
  if (code === 'EMESSAGE') return 'size'
  return undefined
}

/**
 * Returns the cause of an error of nodemailer.
 * @param begun whether any part of the message had been sent
 */
export function causeOfError(error: unknown, begun = false): MailCause {
  const failure = error as SmtpError
  const { code, response, responseCode } = failure
  if (response && responseCode) {
    if (code === 'ETLS') return 'encryption'
    // A login step that gets an unexpected but positive reply.
    if (responseCode >= 400) return causeOfReply(stageOf(failure), response)
  }
  return causeOfFault(failure) ?? (begun ? 'later' : 'connection')
}

/** Classifies an error of nodemailer. @param begun whether any part of the message had been sent */
export function mailErrorOf(error: unknown, begun: boolean): MailError {
  const { response, message } = error as SmtpError
  const reason = causeOfError(error, begun)
  const isRefusal = FAILURES[reason] === 'refused'
  const stage = stageOf(error as SmtpError)
  const concernsMessage = isRefusal && (stage === 'recipient' || stage === 'message')
  return new MailError(reason, (response || message).slice(0, MAX_REPLY_CHARACTERS), concernsMessage)
}
