import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Db } from 'pg-boss'

/** The notification channel. A payload is a comma-separated list of account IDs. */
const CHANNEL = 'canvass_credentials'
/** Accounts in one notification; PostgreSQL accepts payloads below 8000 bytes. */
const MAX_IDS_PER_NOTIFICATION = 400

export interface CredentialInvalidation {
  /**
   * Notifies every server that uses the database, including this one. Inside a transaction of `em`, the notification is
   * sent when the transaction commits; otherwise it is sent immediately.
   */
  publish(em: EntityManager, accountIds: readonly number[]): Promise<void>
  /**
   * @param discard receives account IDs; after a reconnect, it receives undefined, which means all accounts, because
   *   notifications may have been missed
   */
  subscribe(discard: (accountIds?: ReadonlySet<number>) => void): void
  /** Ends the subscription to notifications. */
  close(): Promise<void>
}

/**
 * Notifies all servers of a database about changed credentials, so that they discard cached credentials. The
 * notification is part of the transaction (PostgreSQL, NOTIFY). The server that made the change discards its cached
 * credentials after the commit, before it replies.
 * @param db provides a connection for the subscription, and reconnects if the connection is lost
 */
export async function openCredentialInvalidation(orm: MikroORM, db: Db): Promise<CredentialInvalidation> {
  const subscribers: ((accountIds?: ReadonlySet<number>) => void)[] = []
  const onInvalidate = (accountIds?: ReadonlySet<number>) => {
    for (const discard of subscribers) discard(accountIds)
  }
  const pending = new WeakMap<object, Set<number>>()
  orm.em.getEventManager().registerSubscriber({
    afterTransactionCommit: async ({ transaction }) => {
      const accountIds = pending.get(transaction ?? {})
      if (accountIds) onInvalidate(accountIds)
    },
  })
  const subscription = await db.listen?.(
    CHANNEL,
    (payload) => onInvalidate(new Set(payload.split(',').map(Number))),
    () => onInvalidate(),
  )

  return {
    async publish(em, accountIds) {
      const ids = [...new Set(accountIds)]
      for (let start = 0; start < ids.length; start += MAX_IDS_PER_NOTIFICATION) {
        const payload = ids.slice(start, start + MAX_IDS_PER_NOTIFICATION).join(',')
        await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(em.getKysely())
      }
      const transaction = em.getTransactionContext()
      if (transaction) pending.set(transaction, new Set([...(pending.get(transaction) ?? []), ...ids]))
      else onInvalidate(new Set(ids))
    },
    subscribe: (discard) => void subscribers.push(discard),
    close: async () => subscription?.close(),
  }
}
