/**
 * The reason why a message was not accepted. `rejected`: permanently; `deferred`: temporarily; `unreachable`: the
 * server could not be reached.
 */
export type MailFailure = 'rejected' | 'deferred' | 'unreachable'

/** An error while a message is sent; `message` is the reply of the server or the connection error. */
export class MailError extends Error {
  readonly failure: MailFailure

  constructor(failure: MailFailure, message: string) {
    super(message)
    this.name = 'MailError'
    this.failure = failure
  }
}

interface SmtpError {
  code?: string
  response?: string
  responseCode?: number
  message: string
}

/** Reply codes for invalid credentials (RFC 4954, section 6): an error of the settings, not of the message. */
const CREDENTIAL_CODES = new Set([530, 534, 535, 538])

/**
 * Classifies an error of nodemailer.
 * @param begun whether any part of the message had been sent
 */
export function mailErrorOf(error: unknown, begun: boolean): MailError {
  const { code, response, responseCode, message } = error as SmtpError
  const reply = (response || message).slice(0, 500)
  const isMessageError = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (isMessageError && responseCode !== undefined && !CREDENTIAL_CODES.has(responseCode) && responseCode !== 421)
    return new MailError(responseCode >= 500 ? 'rejected' : 'deferred', reply)
  if (code === 'EENVELOPE' && responseCode === undefined) return new MailError('rejected', reply)
  return new MailError(begun ? 'deferred' : 'unreachable', reply)
}
