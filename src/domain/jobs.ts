import type { EntityManager } from '@mikro-orm/postgresql'
import type { JobQueue } from '../lib/job-queue.ts'
import type { MailMessage } from '../lib/mailer.ts'

/** The payload of each job. Payloads are small: a job reads further data when it runs. */
export interface JobPayloads {
  /** Applies the rules that put text answers into categories. */
  'apply-coding-rules': Record<string, never>
  /** Marks invitations as used if an anonymous response was stored with them. */
  'mark-used-invites': Record<string, never>
  /** Deletes the objects of deleted files from buckets (`FILES_URL`). */
  'delete-file-objects': Record<string, never>
  /** Enqueues the emails about new responses and comments that are due. */
  'enqueue-notifications': Record<string, never>
  /**
   * Deletes expired credentials, page drafts, unused files and images, stored replies to requests with an idempotency
   * key, and entries of the security log.
   */
  'purge-expired-credentials': Record<string, never>
  /** Deletes old entries of the delivery log. */
  'purge-webhook-deliveries': Record<string, never>
  /** Reads the mailbox of returned messages (`BOUNCE_IMAP_URL`). */
  'read-bounces': Record<string, never>
  /** Updates the stored counts of responses for lists and reports. */
  'refresh-rollups': Record<string, never>
  /** Emails a password reset link to the account with this username or email address, if there is one. */
  'request-password': { name: string }
  /** Sends the due messages of an email. */
  'send-email': { email: number }
  /**
   * Sends an email about new responses to a survey. If there is only one new response, and it is not anonymous,
   * `response` is its ID. Retries have the same `reference`.
   */
  'send-notification': { survey: number; account: number; responses: number; response?: number; reference: string }
  /** Sends a system email to an account. Retries have the same `reference` and therefore the same Message-ID. */
  'send-system-email': {
    account: number
    subject: string
    text: string
    /** The address; absent: that of the account. */
    to?: string
    /** The name of the recipient; absent: that of the account. */
    toName?: string
    reference: string
  }
  /** Sends the automatic reminders that are due. */
  'send-reminders': Record<string, never>
  /** Sends a test message of an email to its author. */
  'send-test-email': { message: Omit<MailMessage, 'date' | 'images'> & { date: string }; survey?: number }
  /** Makes a scheduled backup (`BACKUP_SCHEDULE`). */
  'back-up': Record<string, never>
  /** Deletes remaining rows of deleted surveys. */
  'sweep-orphans': Record<string, never>
}
export type JobName = keyof JobPayloads
export type Jobs = JobQueue<JobPayloads>

/** How the jobs of a name are run. */
export interface JobRule {
  /** Number of retries after the first attempt. If a worker stops during a job, this counts as an attempt. */
  retries: number
  /** Delay before the first retry. It doubles with each retry. */
  retryDelaySeconds: number
  maxRetryDelaySeconds: number
  /** Number of jobs of this name that a worker runs at the same time. */
  concurrency: number
  /** Number of jobs of this name that a worker runs at the same time for one account. */
  concurrencyPerAccount?: number
  /**
   * Cron expression (UTC) of a job that workers create with an empty payload. If it is absent, a setting can define it.
   */
  cron?: string
  /** Maximum duration in seconds, if it is longer than that of other jobs. */
  maxSeconds?: number
}

/** All jobs. `src/worker/tasks.ts` has the task of each job. */
export const jobs: { readonly [Name in JobName]: JobRule } = {
  // The job is not retried, because the next run continues.
  'apply-coding-rules': {
    retries: 0,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 60,
    concurrency: 1,
    cron: '* * * * *',
    maxSeconds: 3600,
  },
  'back-up': { retries: 2, retryDelaySeconds: 300, maxRetryDelaySeconds: 3600, concurrency: 1, maxSeconds: 43_200 },
  // The job is not retried, because a later run retries the deletion of each object.
  'delete-file-objects': {
    retries: 0,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 60,
    concurrency: 1,
    cron: '* * * * *',
  },
  'enqueue-notifications': {
    retries: 0,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 60,
    concurrency: 1,
    cron: '* * * * *',
  },
  // Runs at a fixed time: otherwise the time at which an invitation is marked would identify its response.
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
  'read-bounces': { retries: 0, retryDelaySeconds: 5, maxRetryDelaySeconds: 60, concurrency: 1 },
  'refresh-rollups': { retries: 0, retryDelaySeconds: 5, maxRetryDelaySeconds: 60, concurrency: 1, cron: '* * * * *' },
  'request-password': { retries: 3, retryDelaySeconds: 5, maxRetryDelaySeconds: 60, concurrency: 2 },
  // Each message is retried separately. The job itself fails only if the database or the worker fails.
  'send-email': {
    retries: 10_000,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 60,
    concurrency: 4,
    concurrencyPerAccount: 2,
  },
  'send-notification': { retries: 5, retryDelaySeconds: 60, maxRetryDelaySeconds: 3600, concurrency: 1 },
  'send-system-email': { retries: 10, retryDelaySeconds: 60, maxRetryDelaySeconds: 21_600, concurrency: 1 },
  'send-reminders': {
    retries: 3,
    retryDelaySeconds: 30,
    maxRetryDelaySeconds: 300,
    concurrency: 1,
    cron: '*/10 * * * *',
  },
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

interface JobOptions {
  /** Earliest time at which the job runs; absent: immediately. */
  startAfter?: Date
  /** Runs before jobs of the same name that were queued earlier. */
  urgent?: boolean
  /** The account for which the job runs, for jobs with a limit for each account. */
  group?: string
}

/** What a command needs to queue jobs. */
interface JobContext {
  em: EntityManager
  services: { jobs: Jobs }
}

/**
 * Queues a job. In a transaction, the job is queued when the transaction commits. Every job must be idempotent: it can
 * run twice, because a worker can stop between the work and its acknowledgement.
 */
export async function enqueue<Name extends JobName>(
  context: JobContext,
  name: Name,
  payload: JobPayloads[Name],
  options: JobOptions = {},
): Promise<void> {
  await enqueueAll(context, name, [{ payload, ...options }])
}

/** Queues several jobs of the same name with one statement, as {@link enqueue} does. */
export async function enqueueAll<Name extends JobName>(
  { em, services }: JobContext,
  name: Name,
  entries: readonly ({ payload: JobPayloads[Name] } & JobOptions)[],
): Promise<void> {
  await services.jobs.send(name, entries, em.isInTransaction() ? em.getTransactionContext() : undefined)
}
