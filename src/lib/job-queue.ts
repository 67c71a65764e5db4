import { type Clock, fromKysely, type KyselyTransactionLike, PgBoss } from 'pg-boss'
import type { Log } from './log.ts'
import { type DatabaseOptions, followRoute } from './postgres-client.ts'
import { currentTraceparent } from './tracing.ts'

/** A job queue; `Payloads` maps the name of each job to its payload. */
export interface JobQueue<Payloads> {
  /**
   * Adds jobs of one name with one statement.
   * @param entries `group`: the jobs of a group can have a separate limit (`concurrencyPerAccount` in jobs.ts)
   * @param transaction the transaction in which the jobs are added; absent: the jobs are added immediately
   */
  send<Name extends keyof Payloads & string>(
    name: Name,
    entries: readonly { payload: Payloads[Name]; startAfter?: Date; urgent?: boolean; group?: string }[],
    transaction?: KyselyTransactionLike,
  ): Promise<void>
}

/** The database schema of the tables of pg-boss. */
export const JOB_SCHEMA = 'pgboss'

/** Connections for jobs that are added outside of transactions. */
const MAX_CONNECTIONS = 2

/**
 * Opens the queue for adding jobs. Workers run the jobs. The tables of the queue must exist (`installJobs`).
 * @param connection options of `pg` for each connection
 * @param clock absent: the real time
 */
export async function openJobQueue(connection: DatabaseOptions, log: Log, clock?: Clock): Promise<PgBoss> {
  const noBackgroundWork = { migrate: false, supervise: false, schedule: false } as const
  const boss = new PgBoss({
    ...connection,
    max: MAX_CONNECTIONS,
    schema: JOB_SCHEMA,
    ...noBackgroundWork,
    ...(clock && { clock }),
  })
  followRoute((boss.getDb() as unknown as { config: DatabaseOptions }).config)
  // In tests each database session has the clock of the test.
  if (clock) boss.getDb().setSessionStatements = async () => undefined
  // Errors of idle connections, and of background work that the queue repeats. Calls report their errors separately.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'job queue error'))
  return boss.start()
}

/**
 * The member of a stored job that contains the span which added it. The job runs in a separate trace with a link to
 * this span.
 */
export const TRACEPARENT_MEMBER = 'traceparent'

/** Adds jobs through pg-boss. */
export const jobQueue = <Payloads>(boss: PgBoss): JobQueue<Payloads> => ({
  async send(name, entries, transaction) {
    if (!entries.length) return
    const span = currentTraceparent()
    const inserts = entries.map(({ payload, startAfter, urgent, group }) => ({
      data: { ...(payload as object), ...(span && { [TRACEPARENT_MEMBER]: span }) },
      ...(startAfter && { startAfter }),
      ...(urgent && { priority: 1 }),
      ...(group && { group: { id: group } }),
    }))
    await boss.insert(name, inserts, transaction && { db: fromKysely(transaction) })
  },
})
