import type { Services } from './domain/services.ts'
import { MailError } from './lib/mail-error.ts'
import type { Tracing } from './lib/tracing.ts'
import type { Metrics } from './metrics.ts'

/** Makes the services count stored responses and attempts to send emails. */
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
export function traceEmails(services: Services, tracing: Tracing): void {
  const { mailer } = services
  services.mailer = {
    ...mailer,
    send: (...message) => tracing.run('send email', { kind: 'client' }, () => mailer.send(...message)),
  }
}
