import { connectionTo, DatabaseClient } from '../../lib/postgres-client.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Lag in seconds from which a replica hardly ever answers a request. */
const MAX_LAG_SECONDS = 10

const LAG = `select pg_is_in_recovery() as is_replica,
  case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0) end::float8 as lag`

/** Checks that each server of `DATABASE_REPLICA_URL` is a replica, and that it is not far behind. */
export async function checkReplicas(urls: readonly string[], found: Findings): Promise<void> {
  for (const url of urls) {
    const client = new DatabaseClient(
      connectionTo(url, { application_name: 'canvass-doctor', connectionTimeoutMillis: 5_000, query_timeout: 5_000 }),
    )
    client.on('error', () => undefined)
    const name = `${client.host}:${client.port}`
    try {
      await client.connect()
      const { rows } = await client.query<{ is_replica: boolean; lag: number }>(LAG)
      const { is_replica, lag } = rows[0]!
      if (!is_replica)
        found.error(
          'replica',
          `${name} is not a replica.`,
          'Remove it from DATABASE_REPLICA_URL, or set it up as a standby.',
        )
      else if (lag > MAX_LAG_SECONDS)
        found.warning(
          'replica',
          `${name} is ${Math.round(lag)} seconds behind: the primary server answers its requests.`,
          'Check the network between the servers, the load of the replica, and long queries on it (pg_stat_activity).',
        )
      else found.ok('replica', `${name} is ${lag.toFixed(1)} seconds behind`)
    } catch (error) {
      found.error(
        'replica',
        `${name} does not answer: ${reasonOf(error)}.`,
        'Start it, or remove it from DATABASE_REPLICA_URL. Until then, the primary server answers its requests.',
      )
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
