import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import type { Mailbox, Mailer } from '../lib/mailer.ts'
import type { Pictures } from '../lib/pictures.ts'
import type { SafeHttp } from '../lib/safe-http.ts'
import type { Jobs } from './jobs.ts'
import type { Limits } from './limits.ts'
import type { ListPlanner } from './response/list/planner.ts'
import type { SubmissionBatcher } from './response/submit/submission-batcher.ts'
import type { RemovalWarnings } from './rollup/removal-warnings.ts'

/** The fixed facts and parts of this installation; made once in main.ts, the same for every request. */
export interface Services {
  /** Absolute address without a trailing slash; every URL in an answer begins with it. */
  baseUrl: string
  /** Keys the HMACs of stored secrets; 32 bytes. */
  secretKey: Buffer
  /** Plain connections for the hot paths: batched inserts, COPY. Everything else goes through the entity manager. */
  pool: Pool
  /** Stands for the database of the entity manager, its driver: what is remembered of a database hangs on it. */
  database: object
  /** Takes responses in, coalescing concurrent submissions into one statement. */
  submissionBatcher: SubmissionBatcher
  /** Answers lists from stored counts. */
  listPlanner: ListPlanner
  /** Warns about answers that a new structure no longer offers. */
  removalWarnings: RemovalWarnings
  /** Where work for later is handed in; commands do it by `enqueue` (job.ts). */
  jobs: Jobs
  /** Other origins whose pages may write through the API with credentials that a browser keeps (`ALLOWED_ORIGINS`). */
  allowedOrigins: ReadonlySet<string>
  /** Whether guessing at passwords is slowed down (`RATE_LIMIT`). */
  rateLimit: boolean
  /** What strangers and accounts may cause; without bounds where `RATE_LIMIT` is off. */
  limits: Limits
  /**
   * Has every server let go of what it remembers of accounts' credentials, when the transaction of `em` commits: here
   * before the answer, elsewhere a moment later, and where a server is cut off for the time being, within half a minute.
   * Whatever ends or narrows a credential asks for it.
   */
  invalidateCredentials(em: EntityManager, accountIds: readonly number[]): Promise<void>
  /** Sends to servers that users name. */
  safeHttp: SafeHttp
  /** What we are called by the identity systems of survey owners (`SERVICE_CLIENT_ID`). */
  serviceClientId: string
  /** Sends mail, or keeps it in a folder where there is no mail server. */
  mailer: Mailer
  /** Whom e-mails come from: their senders' addresses are not ours to use (`MAIL_FROM`). */
  mailFrom: Mailbox
  /** Whether e-mails come from their senders' own addresses instead (`MAIL_ALLOW_SENDERS`). */
  allowSenders: boolean
  /** Whether mail reaches its recipients: there is a mail server, or whoever runs the service reads it on this machine. */
  deliversMail: boolean
  /** Draws beside the event loop. */
  pictures: Pictures
}
