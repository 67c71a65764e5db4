import { context, SpanKind } from '@opentelemetry/api'
import type { SubmissionBatcher } from './domain/response/submit/new-response.ts'
import type { Log } from './lib/log.ts'
import { MailError } from './lib/mail-error.ts'
import type { Mailer } from './lib/mailer.ts'
import { inSpan } from './lib/tracing.ts'
import type { Metrics } from './metrics.ts'

/** Returns a batcher that counts the responses that it stores. Responses stored outside of batches are not counted. */
export const countResponses = (batcher: SubmissionBatcher, metrics: Metrics): SubmissionBatcher => ({
  ...batcher,
  submit: async (...submission) => {
    const outcome = await batcher.submit(...submission)
    if (outcome !== 'stale') metrics.countResponse()
    return outcome
  },
})

/**
 * Returns a mailer that counts attempts to send emails, records a span for each, without its addresses, and logs that
 * the mail server limits or refuses this installation, or that the settings are wrong: once, until a message is sent or
 * the reason changes. Replies are logged without addresses.
 */
export function observeMailer(mailer: Mailer, metrics: Metrics, log: Log): Mailer {
  let lastReason: string | undefined
  function logFault({ failure, reason, message }: MailError): void {
    if (lastReason === reason) return
    lastReason = reason
    const reply = message.replace(/\S*@\S*/g, '<…>')
    log[failure === 'limited' ? 'warn' : 'error']({ failure, reason, reply }, 'mail server does not accept messages')
  }
  const send: Mailer['send'] = async (...message) => {
    try {
      await mailer.send(...message)
      lastReason = undefined
      metrics.countEmail('sent')
    } catch (error) {
      metrics.countEmail(error instanceof MailError ? error.failure : 'deferred')
      if (error instanceof MailError && error.stopsSending) logFault(error)
      throw error
    }
  }
  return {
    ...mailer,
    send: (...message) => inSpan('send email', { kind: SpanKind.CLIENT }, context.active(), () => send(...message)),
  }
}
