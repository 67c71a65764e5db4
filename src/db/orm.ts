import { MikroORM } from '@mikro-orm/postgresql'
import { type Pool, types } from 'pg'
import { connectionTo, DatabaseClient, type DatabaseOptions, PreparingClient } from '../lib/postgres-client.ts'
import config from './orm.config.ts'
import { SESSION_OPTIONS, type Sessions } from './sessions.ts'

// In the database, IDs and counts are bigint. They stay far below 2^53, so JavaScript numbers can represent them.
types.setTypeParser(types.builtins.INT8, Number)

/** Connections of the entity manager; batch inserts and exports use a separate pool (bootstrap.ts). */
const POOL_OPTIONS = { min: 0, idleTimeoutMillis: 30_000 }

/** Connection options with a time limit for statements and idle transactions. */
const DRIVER_OPTIONS = {
  ...SESSION_OPTIONS,
  application_name: 'canvass',
  settings: {
    ...SESSION_OPTIONS.settings,
    statement_timeout: '60s',
    idle_in_transaction_session_timeout: '30s',
  },
}

/** Connection options for migrations and backups, which have no time limit: rewriting a large table may take hours. */
export const NO_STATEMENT_LIMIT = {
  application_name: 'canvass-migrate',
  // A statement that waits for a lock ends when its client does.
  settings: { client_connection_check_interval: '1000' },
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
}

/**
 * Opens the object-relational mapper on a database.
 * @param max the size of the pool
 * @param sessions watches the connections; absent: the connections are not watched
 */
export const createOrm = (url: string, max = 10, sessions?: Sessions): Promise<MikroORM> => {
  const driverOptions = connectionTo(url, { ...DRIVER_OPTIONS, Client: sessions?.Client ?? PreparingClient })
  return openOrm(driverOptions, { ...POOL_OPTIONS, max })
}

/**
 * Connection options for the statements of migrations. While a statement waits for a lock, all later requests to the
 * table wait too. Therefore the statement soon fails, and the migration is repeated later.
 */
const SHORT_LOCK_WAIT = {
  ...NO_STATEMENT_LIMIT,
  settings: { ...NO_STATEMENT_LIMIT.settings, lock_timeout: '2s' },
}

/** Opens the object-relational mapper for migrations, without time limits for statements. */
export const createMigrationOrm = (url: string): Promise<MikroORM> =>
  openOrm(connectionTo(url, { ...SHORT_LOCK_WAIT, Client: DatabaseClient }), { min: 0, max: 2 })

/** MikroORM would read only a part of a connection URL, and would open a connection to create a missing database. */
const openOrm = (driverOptions: DatabaseOptions, pool: object): Promise<MikroORM> =>
  MikroORM.init({
    ...config,
    // MikroORM parses a URL in any case; `driverOptions` replace what it finds there.
    clientUrl: 'postgres://localhost/',
    dbName: driverOptions.database,
    ensureDatabase: false,
    pool,
    driverOptions,
    logger: () => undefined,
  })

/** Returns the connection pool of an entity manager. */
export const poolOf = (orm: MikroORM): Promise<Pool> =>
  (orm.em.getConnection() as unknown as { getNativeClient(): Promise<Pool> }).getNativeClient()
