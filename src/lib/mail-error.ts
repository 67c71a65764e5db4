/**
 * Why a mail server did not accept a message. `refused`: permanently; `later`: temporarily; `unreachable`: the server could not
 * be reached, which says nothing about the message.
 */
export type MailFailure = 'refused' | 'later' | 'unreachable'

/** A message that was not accepted; `message` is the server's reply, or why it could not be reached. */
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

/** Reply codes that ask for other credentials (RFC 4954, section 6): the settings are wrong, not the message. */
const CREDENTIALS = new Set([530, 534, 535, 538])

/**
 * Classifies an error of nodemailer.
 * @param begun whether any part of the message had been sent
 */
export function mailErrorOf(error: unknown, begun: boolean): MailError {
  const { code, response, responseCode, message } = error as SmtpError
  const told = (response || message).slice(0, 500)
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (aboutMessage && responseCode !== undefined && !CREDENTIALS.has(responseCode) && responseCode !== 421)
    return new MailError(responseCode >= 500 ? 'refused' : 'later', told)
  if (code === 'EENVELOPE' && responseCode === undefined) return new MailError('refused', told)
  return new MailError(begun ? 'later' : 'unreachable', told)
}
