import { MikroORM } from '@mikro-orm/postgresql'
import { types } from 'pg'
import { PreparingClient } from '../lib/prepared.ts'
import config from './orm.config.ts'

// Identifiers and counts are bigint in the database and stay far below 2^53: read them as numbers everywhere.
types.setTypeParser(types.builtins.INT8, Number)

/** Connections the entity manager may hold; the hot paths have a pool of their own. */
const POOL = { min: 0, max: 10, idleTimeoutMillis: 30_000 }

/**
 * What pg itself is told: nobody waits for ever, neither for a connection nor in an abandoned transaction; and no statement is
 * compiled, which takes a hundred times as long as the page of a list.
 */
const DRIVER = {
  Client: PreparingClient,
  application_name: 'canvass',
  options: '-c jit=off',
  connectionTimeoutMillis: 10_000,
  statement_timeout: 60_000,
  idle_in_transaction_session_timeout: 30_000,
}

/** What pg is told for migrations: a statement that rewrites a large table may take hours. */
export const UNLIMITED = {
  application_name: 'canvass-migrate',
  options: '-c jit=off -c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=0',
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
}

/** The object-relational mapper on one database. */
export const createOrm = (clientUrl: string): Promise<MikroORM> =>
  MikroORM.init({ ...config, clientUrl, pool: POOL, driverOptions: DRIVER, logger: () => undefined })

/** The same for migrations, without time limits. */
export const createMigrationOrm = (clientUrl: string): Promise<MikroORM> =>
  MikroORM.init({ ...config, clientUrl, pool: { min: 0, max: 2 }, driverOptions: UNLIMITED, logger: () => undefined })
