import type { JobQueue } from '../lib/job-queue.ts'
import type { MailMessage } from '../lib/mailer.ts'

/** The payload of each job: ids and small facts. A job reads the rest when it runs. */
export interface JobPayloads {
  /** Marks the invitations that brought an anonymous response. */
  'mark-used-invites': Record<string, never>
  /** Deletes sessions, links, grants and tokens that have expired. */
  'purge-expired-credentials': Record<string, never>
  /** Deletes old entries of the delivery log. */
  'purge-webhook-deliveries': Record<string, never>
  /** Counts responses ahead for lists and reports. */
  'refresh-rollups': Record<string, never>
  /** Mails a password-reset link to the account with this user name or address, if there is one. */
  'request-password': { name: string }
  /** Sends the messages of an e-mail that are due. */
  'send-email': { email: number }
  /** Sends an account a message about itself. A retry carries the same `reference`, so it has the same Message-ID. */
  'send-system-email': { account: number; subject: string; text: string; to?: string; reference: string }
  /** Sends one message of an e-mail to its author. */
  'send-test-email': { message: Omit<MailMessage, 'date'> & { date: string } }
  /** Deletes rows that deleted surveys left behind. */
  'sweep-orphans': Record<string, never>
}
export type JobName = keyof JobPayloads
export type Jobs = JobQueue<JobPayloads>

/** How the jobs of one name are run. */
export interface JobRule {
  /** Retries after the first attempt. A worker that dies in the middle of a job uses up one attempt. */
  retries: number
  /** Before the first retry, also after the death of a worker; the delay doubles with each retry. */
  retryDelaySeconds: number
  maxRetryDelaySeconds: number
  /** Jobs of this name that one worker runs at the same time. */
  concurrency: number
  /** When the workers create the job (cron, UTC). Its payload is empty. */
  cron?: string
}

/** Lists every job. `src/worker/tasks/` has a task of the same name. */
export const jobs: { readonly [Name in JobName]: JobRule } = {
  // Once an hour, independent of submissions: the time of a mark would otherwise tell whose response it is.
  'mark-used-invites': {
    retries: 5,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 600,
    concurrency: 1,
    cron: '0 * * * *',
  },
  'purge-expired-credentials': {
    retries: 5,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 600,
    concurrency: 1,
    cron: '43 * * * *',
  },
  'purge-webhook-deliveries': {
    retries: 5,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 3600,
    concurrency: 1,
    cron: '17 3 * * *',
  },
  'refresh-rollups': { retries: 0, retryDelaySeconds: 5, maxRetryDelaySeconds: 60, concurrency: 1, cron: '* * * * *' },
  'request-password': { retries: 3, retryDelaySeconds: 5, maxRetryDelaySeconds: 60, concurrency: 2 },
  // Messages have retries of their own: an attempt of this job fails only with the database or the worker.
  'send-email': { retries: 10_000, retryDelaySeconds: 5, maxRetryDelaySeconds: 60, concurrency: 3 },
  'send-system-email': { retries: 10, retryDelaySeconds: 60, maxRetryDelaySeconds: 21_600, concurrency: 1 },
  'send-test-email': { retries: 3, retryDelaySeconds: 60, maxRetryDelaySeconds: 600, concurrency: 1 },
  'sweep-orphans': {
    retries: 5,
    retryDelaySeconds: 60,
    maxRetryDelaySeconds: 3600,
    concurrency: 1,
    cron: '27 4 * * *',
  },
}
export const jobNames = Object.keys(jobs) as JobName[]

/** A job that had another name in an earlier version. */
export interface RenamedJob {
  old: string
  name: JobName
  /** Earlier and current name of a renamed member of the payload. */
  member?: readonly [old: string, name: string]
}

export const renamedJobs: readonly RenamedJob[] = [
  { old: 'prune-access', name: 'purge-expired-credentials' },
  { old: 'prune-deliveries', name: 'purge-webhook-deliveries' },
  { old: 'seal-chunks', name: 'refresh-rollups' },
  { old: 'send-letter', name: 'send-test-email', member: ['letter', 'message'] },
  { old: 'send-notice', name: 'send-system-email' },
]
