import type { MikroORM } from '@mikro-orm/postgresql'
import { Pool } from 'pg'
import { Problem } from '../../domain/problem.ts'
import type { ReadReplicas, Services } from '../../domain/services.ts'
import type { Log } from '../../lib/log.ts'
import { connectionTo } from '../../lib/postgres-client.ts'
import { createOrm, type PoolSizes, poolOf } from '../orm.ts'
import { createReachability, type Reachability } from '../reachability.ts'
import { createSessions, SESSION_OPTIONS } from '../sessions.ts'
import type { StatementObserver } from '../statements.ts'

/**
 * Maximum time that a request waits for a replica to catch up, in milliseconds. A replica is usually 1 to 10
 * milliseconds behind.
 */
const MAX_WAIT_MS = 100
const POLL_MS = 5
/** Time without reads after a replica has failed or has not caught up, in milliseconds. */
const PAUSE_MS = 1_000

/** A position in the write-ahead log of PostgreSQL. A larger position is later. */
type Position = bigint

/** Parses the text form of a position, such as `16/B374D848`. */
const parsePosition = (text: string): Position => {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

interface Replica {
  orm: MikroORM
  pool: Pool
  reachability: Reachability
  /** Returns the services with the pool of this replica. */
  servicesOf(services: Services): Services
  log: Log
  /** The newest position that this replica is known to have applied. */
  applied: Position
  pausedUntil: number
}

/** The replicas of a database, and their figures for the metrics. */
export interface Replicas extends ReadReplicas {
  /** The connection pools by name. */
  pools: Readonly<Record<string, Pool>>
  /**
   * The numbers of reads that were allowed to use a replica: those that the primary server answered, and those that a
   * replica answered. Undefined without replicas.
   */
  reads: { primary: number; replica: number } | undefined
  close(): Promise<void>
}

/** Reads everything from the primary server. */
const noReplicas: Replicas = {
  read: (context, work) => work(context),
  pools: {},
  reads: undefined,
  close: async () => undefined,
}

/**
 * Opens the replicas of a database (PostgreSQL, streaming replication). Connections are opened on use, so that a
 * missing replica does not prevent the start.
 *
 * A read goes to a replica that has applied everything that was committed on the primary server before the request
 * arrived. So a caller sees every write that was committed before its request, and the change feed has no gaps. Clients
 * do not send a position or token.
 * @param urls the connection URLs; the replicas are used in turn
 * @param sizes the sizes of the pools of each replica
 * @param primary the pool of the primary server
 */
export async function openReplicas(
  urls: readonly string[],
  sizes: PoolSizes,
  primary: Pool,
  log: Log,
  observers: readonly StatementObserver[],
): Promise<Replicas> {
  if (!urls.length) return noReplicas
  const replicas = await Promise.all(urls.map((url) => openReplica(url, sizes, log, observers)))
  const reads = { primary: 0, replica: 0 }
  const currentPosition = shareNext(async () => {
    const { rows } = await primary.query<{ position: string }>('select pg_current_wal_flush_lsn() as position')
    return parsePosition(rows[0]!.position)
  })
  let turn = 0

  /**
   * Returns the next replica that has applied a position. Waits briefly for each replica that has not yet applied it.
   * @returns undefined if no replica has applied the position in time
   */
  async function caughtUp(position: Position): Promise<Replica | undefined> {
    for (let tried = 0; tried < replicas.length; tried += 1) {
      const replica = replicas[turn++ % replicas.length]!
      if (performance.now() < replica.pausedUntil) continue
      try {
        if (await hasApplied(replica, position)) return replica
        pause(replica, 'the replica is behind')
      } catch (error) {
        pause(replica, (error as Error).message)
      }
    }
    return undefined
  }

  return {
    reads,
    pools: Object.fromEntries(
      await Promise.all(
        replicas.map(async ({ orm, pool }, index) => [
          [`replica ${index + 1} entities`, await poolOf(orm)],
          [`replica ${index + 1} hot`, pool],
        ]),
      ).then((pools) => pools.flat()),
    ),
    async read(context, work) {
      const isUsable = replicas.some(({ pausedUntil }) => performance.now() >= pausedUntil)
      const replica = isUsable ? await caughtUp(await currentPosition()) : undefined
      if (replica) {
        try {
          const { orm, reachability, servicesOf } = replica
          const services = servicesOf(context.services)
          const onReplica = { ...context, em: orm.em.fork(), writer: context.em, services }
          const result = await reachability.rejectOnOutage(() => work(onReplica))
          reads.replica += 1
          return result
        } catch (error) {
          // A Problem is a valid result of the read, unless it reports an outage of the replica (`unavailable`). After
          // an outage or any other error, the read is repeated on the primary server.
          if (error instanceof Problem && error.kind !== 'unavailable') throw error
          pause(replica, (error as Error).message)
        }
      }
      reads.primary += 1
      return work(context)
    },
    close: async () => {
      for (const { orm, pool, reachability } of replicas) {
        reachability.close()
        await pool.end()
        await orm.close(true)
      }
    },
  }
}

async function openReplica(
  url: string,
  sizes: PoolSizes,
  parentLog: Log,
  observers: readonly StatementObserver[],
): Promise<Replica> {
  const { host } = connectionTo(url)
  const log = parentLog.child({ replica: host })
  const sessions = createSessions(observers)
  const orm = createOrm(url, sizes.entities, sessions)
  const pool = new Pool({
    ...connectionTo(url, { ...SESSION_OPTIONS, application_name: 'canvass-replica' }),
    Client: sessions.Client,
    max: sizes.hot,
    idleTimeoutMillis: 30_000,
  })
  // Logs only the message, because the error contains the client with its password.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'lost an idle database connection'))
  return {
    orm,
    pool,
    reachability: createReachability(url, sessions, log),
    servicesOf: once((services) => ({ ...services, pool, database: orm.em.getDriver(), replicas: noReplicas })),
    log,
    applied: 0n,
    pausedUntil: 0,
  }
}

/** @throws Error if the server is not a replica (it may have become the primary server), or does not respond */
async function hasApplied(replica: Replica, position: Position): Promise<boolean> {
  for (const deadline = performance.now() + MAX_WAIT_MS; replica.applied < position; ) {
    const { rows } = await replica.reachability.rejectOnOutage(() =>
      replica.pool.query<{ position: string | null; is_replica: boolean }>(
        'select pg_last_wal_replay_lsn() as position, pg_is_in_recovery() as is_replica',
      ),
    )
    const { position: applied, is_replica } = rows[0]!
    if (!is_replica || applied === null) {
      replica.applied = 0n
      throw new Error('the server is not a replica: remove it from DATABASE_REPLICA_URL')
    }
    replica.applied = parsePosition(applied)
    if (replica.applied >= position) break
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return true
}

function pause(replica: Replica, reason: string): void {
  replica.pausedUntil = performance.now() + PAUSE_MS
  replica.log.warn({ reason }, 'reading from another database for a second')
}

/** Returns a function that computes its result once for each argument. */
function once<Argument extends object, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = new WeakMap<Argument, Result>()
  return (argument) => {
    const result = results.get(argument) ?? compute(argument)
    results.set(argument, result)
    return result
  }
}

/**
 * Returns a function that shares runs of `work` between callers. Calls during a run share the next run, so that at most
 * one run is active, and each caller gets the result of a run that started after its call.
 */
function shareNext<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | undefined
  return () => {
    next ??= running.then(() => {
      const started = work()
      next = undefined
      running = started.catch(() => undefined)
      return started
    })
    return next
  }
}
