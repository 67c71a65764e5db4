import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Db } from 'pg-boss'

/** Where changed credentials are told. A payload is numbers of accounts, with commas between them. */
const CHANNEL = 'canvass_credentials'
/** Accounts in one notification; PostgreSQL takes payloads of less than 8000 bytes. */
const MAX_IDS_PER_NOTIFICATION = 400

export interface CredentialInvalidation {
  /** Tells every server on the database, this one too: when the transaction of `em` commits, or else at once. */
  publish(em: EntityManager, accountIds: readonly number[]): Promise<void>
  /** Hears nothing more. */
  close(): Promise<void>
}

/**
 * What the servers of one database tell each other: whose credentials have changed. A notification is part of the
 * transaction that it tells of (PostgreSQL, NOTIFY). The server that made the change need not wait to hear of it: it
 * knows when its transaction has committed, before the answer goes out.
 * @param db has a connection for listening, which it opens again when it is lost
 * @param hear is told of accounts; of none, when others may have been told while nobody listened
 */
export async function openCredentialInvalidation(
  orm: MikroORM,
  db: Db,
  hear: (accountIds?: ReadonlySet<number>) => void,
): Promise<CredentialInvalidation> {
  const pending = new WeakMap<object, Set<number>>()
  orm.em.getEventManager().registerSubscriber({
    afterTransactionCommit: async ({ transaction }) => {
      const accountIds = pending.get(transaction ?? {})
      if (accountIds) hear(accountIds)
    },
  })
  const listening = await db.listen?.(
    CHANNEL,
    (payload) => hear(new Set(payload.split(',').map(Number))),
    () => hear(),
  )

  return {
    async publish(em, accountIds) {
      const told = [...new Set(accountIds)]
      for (let at = 0; at < told.length; at += MAX_IDS_PER_NOTIFICATION) {
        const payload = told.slice(at, at + MAX_IDS_PER_NOTIFICATION).join(',')
        await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(em.getKysely())
      }
      const transaction = em.getTransactionContext()
      if (transaction) pending.set(transaction, new Set([...(pending.get(transaction) ?? []), ...told]))
      else hear(new Set(told))
    },
    close: async () => listening?.close(),
  }
}
