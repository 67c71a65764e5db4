import { sendPasswordResetEmail } from '../domain/account/change-password.ts'
import { purgeExpiredCredentials } from '../domain/account/purge-expired.ts'
import { recordBackup } from '../domain/backup-run.ts'
import type { PublicContext } from '../domain/context.ts'
import { recordReturnedMail } from '../domain/email/bounce.ts'
import { deliverEmail } from '../domain/email/deliver.ts'
import { sendTestEmail } from '../domain/email/preview.ts'
import { sendDueReminders } from '../domain/email/reminders.ts'
import { deleteObjects } from '../domain/file/object.ts'
import { purgeFiles } from '../domain/file/queries.ts'
import { purgeIdempotencyKeys } from '../domain/idempotency.ts'
import { purgeProviderFailures } from '../domain/identity/failure.ts'
import { purgeRespondentSessions } from '../domain/identity/session.ts'
import { purgeImages } from '../domain/image/use.ts'
import { markUsedInvites } from '../domain/invitation/visit.ts'
import type { JobName, JobPayloads } from '../domain/jobs.ts'
import { purgeUploads } from '../domain/moving/record.ts'
import { enqueueCommentEmails } from '../domain/notification/comments.ts'
import { enqueueDueNotifications } from '../domain/notification/enqueue-due.ts'
import { sendNotification } from '../domain/notification/send.ts'
import { purgeGrants } from '../domain/oauth/grant.ts'
import { purgeDrafts } from '../domain/respondent/draft.ts'
import { applyDueRules } from '../domain/response/coding/rules.ts'
import { purgeTrash } from '../domain/response/edit/trash.ts'
import { sweepOrphans } from '../domain/response/sweep.ts'
import { refreshRollups } from '../domain/rollup/refresh.ts'
import { purgeSecurityLog } from '../domain/security/queries.ts'
import { replenishResponseIds } from '../domain/survey/response-ids.ts'
import { purgeDeletedSurveys } from '../domain/survey/trash.ts'
import { sendSystemEmail } from '../domain/system-email.ts'
import type { Tables } from '../domain/tables.ts'
import { purgeDeliveries } from '../domain/webhook/due.ts'
import { MAX_BOUNCE_BYTES } from '../lib/bounce-message.ts'

/**
 * Runs one job. A job may run twice, so its task must be idempotent. After an error, the job is retried by its rule
 * (`src/domain/jobs.ts`).
 * @param context without a transaction; a task opens a transaction for its writes, and uses the network outside of it
 * @param signal aborted if the worker has lost the job; then the task must stop and write nothing more
 */
export type Task<Name extends JobName> = (
  context: PublicContext,
  payload: JobPayloads[Name],
  signal: AbortSignal,
) => Promise<void>

/** One task for each job; the compiler reports a missing task. */
export type Tasks = { readonly [Name in JobName]: Task<Name> }

/** What the job that deletes expired credentials deletes, in this order. */
const purges = [
  purgeExpiredCredentials,
  purgeGrants,
  purgeRespondentSessions,
  purgeProviderFailures,
  purgeDrafts,
  purgeFiles,
  purgeImages,
  purgeIdempotencyKeys,
  purgeSecurityLog,
  purgeTrash,
  purgeDeletedSurveys,
  purgeUploads,
]

/** The task that runs each job. */
export const tasks: Tasks = {
  'apply-coding-rules': (context, _payload, signal) => applyDueRules(context, signal),
  'back-up': backUp,
  'delete-file-objects': (context, _payload, signal) => deleteObjects(context, signal),
  'enqueue-notifications': async (context, _payload, signal) => {
    await enqueueCommentEmails(context, signal)
    await enqueueDueNotifications(context, signal)
  },
  'mark-used-invites': async (context) => {
    await markUsedInvites(context)
    await replenishResponseIds(context.em.getKysely<Tables>())
  },
  'purge-expired-credentials': async (context, _payload, signal) => {
    for (const purge of purges) await purge(context, signal)
  },
  'purge-webhook-deliveries': async (context) => void (await purgeDeliveries(context)),
  'read-bounces': readBounces,
  'request-password': (context, { name }) =>
    context.em.transactional((em) => sendPasswordResetEmail({ ...context, em }, name)),
  'refresh-rollups': async (context, _payload, signal) => void (await refreshRollups(context, signal)),
  'send-email': (context, { email }, signal) => deliverEmail(context, email, signal),
  'send-notification': sendNotification,
  'send-reminders': (context, _payload, signal) => sendDueReminders(context, signal),
  'send-test-email': (context, { message, survey }) => sendTestEmail(context, message, survey),
  'send-system-email': sendSystemEmail,
  'sweep-orphans': (context, _payload, signal) => sweepOrphans(context, signal),
}

async function backUp(context: PublicContext, _payload: object, signal: AbortSignal): Promise<void> {
  const { backUpOnSchedule } = context.services
  // A worker without a backup schedule in its settings does nothing. The job was created by a worker that has or had a
  // schedule.
  if (!backUpOnSchedule) return
  const startedAt = context.now
  const began = performance.now()
  const ended = () => ({ ...context, now: new Date(startedAt.getTime() + performance.now() - began) })
  try {
    await backUpOnSchedule(signal)
  } catch (error) {
    await recordBackup(ended(), startedAt, (error as Error).message)
    throw error
  }
  await recordBackup(ended(), startedAt, null)
}

async function readBounces(context: PublicContext, _payload: object, signal: AbortSignal): Promise<void> {
  // A worker without BOUNCE_IMAP_URL in its settings does nothing. The job was created by a worker that has or had it.
  await context.services.bounceMailbox?.read(
    async (source) => {
      const result = await recordReturnedMail({ ...context, em: context.em.fork() }, source)
      return result === 'foreign' ? 'foreign' : result === 'early' ? 'later' : 'handled'
    },
    MAX_BOUNCE_BYTES,
    signal,
  )
}
