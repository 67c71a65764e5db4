/**
 * Why a message was not taken. `refused`: this message never will be; `later`: this one may be, another time;
 * `unreachable`: the server could not be asked at all, which says nothing about the message.
 */
export type MailFailure = 'refused' | 'later' | 'unreachable'

/** A message that was not taken; `message` is what the server said, or why it could not be asked. */
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

/** Replies that ask for other credentials (RFC 4954, section 6): the settings are wrong, not the message. */
const CREDENTIALS = new Set([530, 534, 535, 538])

/** What an error of nodemailer means. @param begun whether any of the message had been sent */
export function mailErrorOf(error: unknown, begun: boolean): MailError {
  const { code, response, responseCode, message } = error as SmtpError
  const told = (response || message).slice(0, 500)
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (aboutMessage && responseCode !== undefined && !CREDENTIALS.has(responseCode) && responseCode !== 421)
    return new MailError(responseCode >= 500 ? 'refused' : 'later', told)
  if (code === 'EENVELOPE' && responseCode === undefined) return new MailError('refused', told)
  return new MailError(begun ? 'later' : 'unreachable', told)
}
