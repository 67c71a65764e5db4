import { type Clock, fromKysely, type KyselyTransactionLike, PgBoss } from 'pg-boss'
import type { Log } from './log.ts'

/** Where jobs are handed in; `Payloads` says by name what each is told. */
export interface JobQueue<Payloads> {
  /**
   * Adds jobs of one name, in one statement.
   * @param transaction they exist when it commits; absent: at once
   */
  send<Name extends keyof Payloads & string>(
    name: Name,
    entries: readonly { payload: Payloads[Name]; startAfter?: Date; urgent?: boolean }[],
    transaction?: KyselyTransactionLike,
  ): Promise<void>
}

/** Where pg-boss keeps its tables, apart from ours. */
export const JOB_SCHEMA = 'pgboss'

/** Connections for handing in outside of transactions. */
const MAX_CONNECTIONS = 2

/**
 * Opens the queue for handing in and for taking out by hand. It starts no timer and works nothing; that is the
 * worker's part. Its tables must exist (`installJobs`).
 * @param session what pg is told of each connection
 * @param clock absent: the real time
 */
export async function openJobQueue(databaseUrl: string, session: object, log: Log, clock?: Clock): Promise<PgBoss> {
  const quiet = { migrate: false, supervise: false, schedule: false } as const
  const boss = new PgBoss({
    ...session,
    connectionString: databaseUrl,
    application_name: 'canvass-queue',
    max: MAX_CONNECTIONS,
    schema: JOB_SCHEMA,
    ...quiet,
    ...(clock && { clock }),
  })
  // What a test clock asks of each session, the test's database does by itself.
  if (clock) boss.getDb().setSessionStatements = async () => undefined
  // Every call of ours reports its own error; this is for what the queue does by itself, and tries again.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'the job queue stumbled'))
  return boss.start()
}

/** Hands jobs in through pg-boss. */
export const jobQueue = <Payloads>(boss: PgBoss): JobQueue<Payloads> => ({
  async send(name, entries, transaction) {
    if (!entries.length) return
    const inserts = entries.map(({ payload, startAfter, urgent }) => ({
      data: payload as object,
      ...(startAfter && { startAfter }),
      ...(urgent && { priority: 1 }),
    }))
    await boss.insert(name, inserts, transaction && { db: fromKysely(transaction) })
  },
})
