import type { Pool } from 'pg'
import { type Clock, type Db, fromKysely, type KyselyTransactionLike, PgBoss } from 'pg-boss'

/** Where jobs are handed in; `Payloads` says by name what each is told. */
export interface JobQueue<Payloads> {
  /**
   * Adds jobs of one name, in one statement.
   * @param transaction they exist when it commits; absent: at once
   */
  send<Name extends keyof Payloads & string>(
    name: Name,
    entries: readonly { payload: Payloads[Name]; startAfter?: Date }[],
    transaction?: KyselyTransactionLike,
  ): Promise<void>
}

/** Where pg-boss keeps its tables, apart from ours. */
export const JOB_SCHEMA = 'pgboss'

/** pg-boss on connections of ours. What a test clock asks of each session, the test's database does by itself. */
const on = (pool: Pool): Db => ({
  executeSql: (text, values) => pool.query(text, values as unknown[]),
  setSessionStatements: async () => undefined,
})

/**
 * Opens the queue for handing in and for taking out by hand. It starts no timer and works nothing; that is the
 * worker's part. Its tables must exist (`installJobs`).
 * @param clock absent: the real time
 */
export async function openJobQueue(pool: Pool, clock?: Clock): Promise<PgBoss> {
  const quiet = { migrate: false, supervise: false, schedule: false } as const
  const boss = new PgBoss({ db: on(pool), schema: JOB_SCHEMA, ...quiet, ...(clock && { clock }) })
  // Every call of ours reports its own error; this is for the refresh of the list of queues, which is tried again.
  boss.on('error', () => undefined)
  return boss.start()
}

/** Hands jobs in through pg-boss. */
export const jobQueue = <Payloads>(boss: PgBoss): JobQueue<Payloads> => ({
  async send(name, entries, transaction) {
    if (!entries.length) return
    const inserts = entries.map(({ payload, startAfter }) => ({
      data: payload as object,
      ...(startAfter && { startAfter }),
    }))
    await boss.insert(name, inserts, transaction && { db: fromKysely(transaction) })
  },
})
