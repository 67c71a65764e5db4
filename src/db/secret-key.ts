import type { Client, DatabaseError } from 'pg'
import { baseMac } from '../domain/security/chain.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { digest } from '../lib/secrets.ts'
import { ConfigError } from '../lib/settings.ts'
import { isRestoreUnfinished } from './migrate.ts'

/** What is wrong if a database was used with another secret key, and what to do about it. */
export const OTHER_KEY = {
  message: 'The secret key is not the one with which this database was used.',
  mend: 'Set SECRET_KEY, or restore DATA_DIR/secret-key.',
}

/** SQLSTATE of a database that does not exist. */
const INVALID_CATALOG_NAME = '3D000'
/** Maximum number of chains of the security log that are compared with a key. */
const MAX_CHAINS = 1000

/** Returns an identifier of a secret key, from which the key cannot be computed. */
const fingerprintOf = (secretKey: Buffer): Buffer => digest(secretKey, 'canvass secret key of this database')

/**
 * Returns whether a database was used with another secret key. If no fingerprint was stored yet, the key is another one if
 * no chain of the security log begins with it.
 * @param client a connection to a database with any schema
 */
export async function wasUsedWithOtherKey(client: Client, secretKey: Buffer): Promise<boolean> {
  const { rows } = await client.query<{ key: boolean; chain: boolean }>(
    `select to_regclass('public.secret_key') is not null as key, to_regclass('public.security_chain') is not null as chain`,
  )
  const { key, chain } = rows[0]!
  if (key) {
    const { rows: stored } = await client.query<{ fingerprint: Buffer | null }>('select fingerprint from secret_key')
    const [row] = stored
    if (row) return row.fingerprint !== null && !row.fingerprint.equals(fingerprintOf(secretKey))
  }
  if (!chain) return false
  const { rows: chains } = await client.query<{ id: string; seq: string; hash: Buffer; mac: Buffer }>(
    `select account_id as id, base_seq as seq, base_hash as hash, base_mac as mac from security_chain
    order by account_id desc limit ${MAX_CHAINS}`,
  )
  const keyed = (id: string, seq: string, hash: Buffer) => baseMac(secretKey, Number(id), Number(seq), hash)
  return chains.length > 0 && !chains.some(({ id, seq, hash, mac }) => keyed(id, seq, hash).equals(mac))
}

/**
 * Checks that a database, if it exists, was not used with another secret key.
 * @throws {ConfigError}
 */
export const assertSecretKey = (url: string, secretKey: Buffer): Promise<void> =>
  withClient(url, async (client) => {
    if (!(await isRestoreUnfinished(client)) && (await wasUsedWithOtherKey(client, secretKey)))
      throw new ConfigError(`${OTHER_KEY.message} ${OTHER_KEY.mend}`)
  }).catch((error: DatabaseError) => {
    if (error.code !== INVALID_CATALOG_NAME) throw error
  })

/**
 * Stores the fingerprint of the secret key, unless there is one.
 * @throws {ConfigError} if a server with another key has stored its own since {@link assertSecretKey}
 */
export async function storeSecretKey(url: string, secretKey: Buffer): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `insert into secret_key (fingerprint) values ($1)
      on conflict (is_current) do update set fingerprint = excluded.fingerprint where secret_key.fingerprint is null`,
      [fingerprintOf(secretKey)],
    ),
  )
  await assertSecretKey(url, secretKey)
}

/** Makes the next start use a database with its secret key, whatever that is. */
export const acceptNextSecretKey = (url: string): Promise<unknown> =>
  withClient(url, (client) =>
    client.query(
      'insert into secret_key (fingerprint) values (null) on conflict (is_current) do update set fingerprint = null',
    ),
  )

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new DatabaseClient(connectionTo(url, { application_name: 'canvass-start' }))
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
