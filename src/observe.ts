import { context, SpanKind } from '@opentelemetry/api'
import type { Services } from './domain/services.ts'
import type { Log } from './lib/log.ts'
import { MailError } from './lib/mail-error.ts'
import { inSpan } from './lib/tracing.ts'
import type { Metrics } from './metrics.ts'

/**
 * Makes the services count the responses that the submission batcher stores, attempts to send emails, and failed
 * operations on the bucket of uploaded files. Responses that are stored outside of batches are not counted.
 */
export function countWork(services: Services, metrics: Metrics): void {
  const { submissionBatcher, mailer } = services
  services.submissionBatcher = {
    ...submissionBatcher,
    submit: async (...submission) => {
      const outcome = await submissionBatcher.submit(...submission)
      if (outcome !== 'stale') metrics.countResponse()
      return outcome
    },
  }
  const { files } = services
  services.files = {
    ...files,
    reportStoreFailure: (operation, error) => {
      files.reportStoreFailure(operation, error)
      metrics.countStoreFailure(operation)
    },
  }
  services.mailer = {
    ...mailer,
    send: async (...message) => {
      try {
        await mailer.send(...message)
        metrics.countEmail('sent')
      } catch (error) {
        metrics.countEmail(error instanceof MailError ? error.failure : 'deferred')
        throw error
      }
    },
  }
}

/** Makes the mailer record a span for each email, without its addresses. */
export function traceEmails(services: Services): void {
  const { mailer } = services
  services.mailer = {
    ...mailer,
    send: (...message) =>
      inSpan('send email', { kind: SpanKind.CLIENT }, context.active(), () => mailer.send(...message)),
  }
}

/**
 * Makes the mailer log that the mail server limits or refuses this installation, or that the settings are wrong: once,
 * until a message is sent or the reason changes. Replies are logged without addresses.
 */
export function logMailFaults(services: Services, log: Log): void {
  const { mailer } = services
  let lastReason: string | undefined
  services.mailer = {
    ...mailer,
    send: async (...message) => {
      try {
        await mailer.send(...message)
        lastReason = undefined
      } catch (error) {
        if (error instanceof MailError && error.stopsSending && lastReason !== error.reason) {
          lastReason = error.reason
          const { failure, reason } = error
          const reply = error.message.replace(/\S*@\S*/g, '<…>')
          log[failure === 'limited' ? 'warn' : 'error'](
            { failure, reason, reply },
            'mail server does not accept messages',
          )
        }
        throw error
      }
    },
  }
}
