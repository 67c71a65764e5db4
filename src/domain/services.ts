import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import type { Bucket } from '../lib/bucket.ts'
import type { Finding } from '../lib/finding.ts'
import type { ImapMailbox } from '../lib/imap-mailbox.ts'
import type { Mailbox, Mailer } from '../lib/mailer.ts'
import type { Pictures } from '../lib/pictures.ts'
import type { SafeHttp } from '../lib/safe-http.ts'
import type { Sandbox } from '../lib/sandbox.ts'
import type { PrintedSetting } from '../lib/settings.ts'
import type { SpooledFile } from '../lib/temporary-files.ts'
import type { Admission } from './admission.ts'
import type { Jobs } from './jobs.ts'
import type { Limits } from './limits.ts'
import type { RequestLimits } from './request-limits.ts'
import type { RespondentLookups } from './respondent/lookups.ts'
import type { SubmissionBatcher } from './response/submit/new-response.ts'
import type { SignInProvider } from './single-sign-on/provider.ts'
import type { NumberedStructure } from './structure/numbering.ts'
import type { StructureWarning } from './structure/structure.ts'

/** What a read needs of the context of its request. */
interface ReadContext {
  em: EntityManager
  services: Services
}

/** Databases that apply all writes of the primary server shortly after it (`DATABASE_REPLICA_URL`). */
export interface ReadReplicas {
  /**
   * Runs expensive reads on a replica that has applied everything that was committed before the call. If there is no
   * such replica, or if the replica fails, runs the work on the primary server. The work may therefore run twice.
   */
  read<Caller extends ReadContext, Result>(context: Caller, work: (context: Caller) => Promise<Result>): Promise<Result>
}

/** How uploaded files are checked and stored. */
export interface FileServices {
  /** Maximum size of a file (`FILE_MAX_MB`). */
  maxMegabytes: number
  /** Maximum size of all files of an account; 0: unlimited (`FILES_MB_PER_ACCOUNT`). */
  megabytesPerAccount: number
  /** The share of this size that one survey can use, up to 1 (`FILES_PERCENT_PER_SURVEY`). */
  surveyShare: number
  /**
   * Scans a file (`FILE_SCAN_COMMAND`); every file is clean if there is no scanner.
   * @throws Error if the scanner fails
   */
  isClean(file: SpooledFile): Promise<boolean>
  /** Logs that the scanner failed. */
  reportScanFailure(error: unknown): void
  /**
   * URL of the bucket for new files, with a prefix and a trailing slash (`FILES_URL`); undefined: new files are stored
   * in the database.
   */
  store: string | undefined
  /** Opens a bucket once; later calls return the same `Bucket`. The URL is stored with each file. */
  openBucket(url: string): Promise<Bucket>
  /** Logs and counts that a bucket failed. */
  reportStoreFailure(operation: StoreOperation, error: unknown): void
  /** Closes the connections to buckets. */
  close(): Promise<void>
}

/** What the administration shares with the command line. */
export interface Operations {
  startedAt: Date
  /** Returns all settings without secrets, and the errors in them. */
  describeSettings(): { settings: readonly PrintedSetting[]; errors: readonly string[] }
  /** Checks the installation, as `canvass doctor` does. */
  inspect(): Promise<readonly Finding[]>
  /** The schedule of backups; undefined: there is none. `list` returns the names of the stored backups, newest first. */
  backups: { to: string; schedule: string; keep: number; list(): Promise<string[]> } | undefined
}

/** The operations on a bucket. */
export type StoreOperation = 'write' | 'read' | 'delete'

/** The settings and services of an installation. bootstrap.ts creates them once for all requests. */
export interface Services {
  /** Base of all absolute URLs, without a trailing slash (`BASE_URL`). */
  baseUrl: string
  /** Key for all HMACs and for sealing; 32 bytes (`SECRET_KEY`). */
  secretKey: Buffer
  /**
   * Connections for batched inserts, exports, uploads, the login throttle and locks of email runs. All other statements
   * use the entity manager.
   */
  pool: Pool
  /** The driver of the entity manager. It identifies the database: each database has a separate cache of surveys. */
  database: object
  /** Databases for expensive reads. */
  replicas: ReadReplicas
  /** Stores responses, with one statement for concurrent submissions. */
  submissionBatcher: SubmissionBatcher
  /** Reads what every request of a respondent needs, with one statement for concurrent requests. */
  respondentLookups: RespondentLookups
  /**
   * Compares two versions of a structure. Returns a warning for each removed question, removed choice and question of a
   * changed type that has stored answers.
   */
  removalWarnings(
    context: { em: EntityManager },
    surveyId: number,
    before: NumberedStructure,
    after: NumberedStructure,
  ): Promise<StructureWarning[]>
  /** The job queue. Commands use `enqueue` (enqueue.ts). */
  jobs: Jobs
  /** Other origins whose pages can send API requests that write, with browser credentials (`ALLOWED_ORIGINS`). */
  allowedOrigins: ReadonlySet<string>
  /** Whether password attempts are throttled (`RATE_LIMIT`). */
  rateLimit: boolean
  /** Limits per network and account; none if `RATE_LIMIT` is off. */
  limits: Limits
  /** Limits of API requests (`RATE_LIMITS`), which also define the plans of accounts. */
  requestLimits: RequestLimits
  /** Limits the requests in progress (`CONCURRENT_REQUESTS`). */
  admission: Admission
  /**
   * Removes the credentials of accounts from the caches of all servers when the transaction of `em` commits: on this
   * server before the reply, on others shortly after, and on disconnected servers within half a minute. Call it
   * whenever a credential ends or loses permissions.
   */
  invalidateCredentials(em: EntityManager, accountIds: readonly number[]): Promise<void>
  /** HTTP client for URLs that users enter. */
  safeHttp: SafeHttp
  /** Client ID of this service at the identity providers of survey owners (`SERVICE_CLIENT_ID`). */
  serviceClientId: string
  /** How users sign in to the pages (`OIDC_PROVIDERS_FILE`, `PASSWORD_SIGN_IN`, `SECOND_FACTOR`). */
  signIn: { providers: readonly SignInProvider[]; password: boolean; secondFactor: 'optional' | 'required' }
  /** Sends email, or writes it to a folder if there is no mail server. */
  mailer: Mailer
  /** The From address of emails (`MAIL_FROM`). */
  mailFrom: Mailbox
  /** Where messages about the delivery of invitations go (`BOUNCE_ADDRESS`); undefined: to their sender. */
  bounceAddress: string | undefined
  /** The mailbox of returned messages (`BOUNCE_IMAP_URL`). */
  bounceMailbox: ImapMailbox | undefined
  /** Whether emails are sent from the address of their sender instead of `mailFrom` (`MAIL_ALLOW_SENDERS`). */
  allowSenders: boolean
  /** Days for which the security log is kept (`SECURITY_LOG_DAYS`). */
  securityLogDays: number
  /** Whether people without an account can be invited, and create one when they accept (`INVITE_NEW_ACCOUNTS`). */
  invitesNewAccounts: boolean
  /** Maximum numbers of invitations that the mail server gets (`SMTP_PER_MINUTE`, `SMTP_PER_HOUR`); 0: unlimited. */
  mailLimits: { minute: number; hour: number }
  /** Whether there is a mail server (`SMTP_URL`). */
  hasMailServer: boolean
  /** Whether email can be delivered: there is a mail server, or the operator reads email in the development mailbox. */
  deliversMail: boolean
  /**
   * Makes a backup and deletes old ones (`BACKUP_TO`, `BACKUP_KEEP`); undefined: there is no schedule. Throws the
   * reason of a failure.
   */
  backUpOnSchedule: ((signal: AbortSignal) => Promise<void>) | undefined
  /** What administrators see and start; absent in commands that serve no pages. */
  operations: Operations | undefined
  files: FileServices
  /** Renders images in a separate process. */
  pictures: Pictures
  /** The processes of `runInSandbox` (sandbox.ts). */
  sandbox: Sandbox
}
