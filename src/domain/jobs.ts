import type { JobQueue } from '../lib/job-queue.ts'
import type { Letter } from '../lib/mailer.ts'

/** What each job is told. Ids and small facts only: the job reads the rest when it runs. */
export interface JobPayloads {
  /** Marks the invitations that brought an anonymous response. */
  'mark-used-invites': Record<string, never>
  /** Forgets sessions, links, grants and tokens that are over. */
  'prune-access': Record<string, never>
  /** Forgets what the delivery log need not remember any longer. */
  'prune-deliveries': Record<string, never>
  /** Mails a link to choose a new password to whoever is called so, if anybody is. */
  'request-password': { name: string }
  /** Counts ahead for reports. */
  'seal-chunks': Record<string, never>
  /** Sends what is due of an e-mail. */
  'send-email': { email: number }
  /** Sends one letter that is written already: somebody tries out an e-mail. */
  'send-letter': { letter: Omit<Letter, 'date'> & { date: string } }
  /** Deletes what is left of deleted surveys. */
  'sweep-orphans': Record<string, never>
  /** Tells the owner of an account something. `reference` makes a second try the same message. */
  'send-notice': { account: number; subject: string; text: string; to?: string; reference: string }
}
export type JobName = keyof JobPayloads
export type Jobs = JobQueue<JobPayloads>

/** How the jobs of one name are worked. */
export interface JobRule {
  /** Tries after the first one. The end of a worker in the middle of a job counts as a failed try. */
  retries: number
  /** Seconds before the first retry, also after the death of a worker; each later one waits about twice as long, up to `longest`. */
  delay: number
  longest: number
  /** Jobs of this name that one worker has in hand at the same time. */
  atOnce: number
  /** When the job is made by itself (cron, UTC), by one of the workers. Its payload is empty. */
  cron?: string
}

/** Every job there is. A task of the same name in `src/worker/tasks/` does it. */
export const jobs: { readonly [Name in JobName]: JobRule } = {
  // Once an hour whatever comes in: a moment nearer to a response would tell whose it is.
  'mark-used-invites': { retries: 5, delay: 5, longest: 600, atOnce: 1, cron: '0 * * * *' },
  'prune-access': { retries: 5, delay: 5, longest: 600, atOnce: 1, cron: '43 * * * *' },
  'prune-deliveries': { retries: 5, delay: 5, longest: 3600, atOnce: 1, cron: '17 3 * * *' },
  'request-password': { retries: 3, delay: 5, longest: 60, atOnce: 2 },
  'seal-chunks': { retries: 0, delay: 5, longest: 60, atOnce: 1, cron: '* * * * *' },
  'sweep-orphans': { retries: 5, delay: 60, longest: 3600, atOnce: 1, cron: '27 4 * * *' },
  // Its messages are tried again by themselves: what fails here is the database or the worker, and that must pass.
  'send-email': { retries: 10_000, delay: 5, longest: 60, atOnce: 3 },
  'send-letter': { retries: 3, delay: 60, longest: 600, atOnce: 1 },
  'send-notice': { retries: 10, delay: 60, longest: 21_600, atOnce: 1 },
}
export const jobNames = Object.keys(jobs) as JobName[]
