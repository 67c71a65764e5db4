import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** A message that a run has in hand, with everything that is needed to write it. */
export interface Claimed {
  id: number
  inviteId: number | null
  code: string | null
  attempts: number
  /** Who it is for; null when they are not in the address book any more. */
  contact: {
    id: number
    name: string
    email: string
    /** Under this name, or another that stands in the address book with the same address. */
    unsubscribed: boolean
    custom: Readonly<Record<string, string>>
  } | null
}

/**
 * Takes the next message that is due. It is then `sending` by this run, and nobody else takes it. Were the run to die
 * before {@link handOver}, the next run puts it back.
 * @param now when the run began: what was queued since, maybe in other words, is for another one
 */
export async function claimNext(
  db: Kysely<Tables>,
  emailId: number,
  run: string,
  now: Date,
): Promise<Claimed | undefined> {
  const row = await db
    .with('taken', (cte) =>
      cte
        .updateTable('email_message')
        .set({ state: 'sending', run, handed_at: null })
        .where('id', '=', (eb) =>
          eb
            .selectFrom('email_message')
            .select('id')
            .where('email_id', '=', emailId)
            .where('state', '=', 'queued')
            .where('next_at', '<=', sql<string>`${now}`)
            .orderBy('next_at')
            .orderBy('id')
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        .returning(['id', 'contact_id', 'invite_id', 'attempts']),
    )
    .selectFrom('taken')
    .leftJoin('contact', 'contact.id', 'taken.contact_id')
    .leftJoin('invite', 'invite.id', 'taken.invite_id')
    .select(['taken.id', 'taken.invite_id', 'taken.attempts', 'invite.code', 'contact.id as contact_id'])
    .select(['contact.name', 'contact.email', 'contact.custom'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('contact as same')
            .select('same.id')
            .whereRef('same.owner_id', '=', 'contact.owner_id')
            .where((one) => one(one.fn('lower', ['same.email']), '=', one.fn('lower', ['contact.email'])))
            .where('same.unsubscribed', '=', true),
        )
        .as('unsubscribed'),
    )
    .executeTakeFirst()
  if (!row) return undefined
  const { contact_id: id, name, email, unsubscribed, custom } = row
  const contact =
    id === null ? null : { id, name: name!, email: email!, unsubscribed: Boolean(unsubscribed), custom: custom! }
  return { id: row.id, inviteId: row.invite_id, code: row.code, attempts: row.attempts, contact }
}

/**
 * Notes, just before the end of a message is sent, that the mail server may have it from now on. This is the fence: a run
 * that lost the message in the meantime (another took it for dead, or the e-mail was deleted) gets false and must not
 * end it.
 */
export async function handOver(db: Kysely<Tables>, id: number, run: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('email_message')
    .set({ handed_at: now })
    .where('id', '=', id)
    .where('run', '=', run)
    .where('state', '=', 'sending')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * What a dead run left behind. Before the hand-over the mail server cannot have the message: it is due again. After it,
 * the end of the message followed within a fraction of a millisecond: it counts as sent. Only a death within that
 * fraction loses a message; none can double one.
 */
export async function recover(db: Kysely<Tables>, emailId: number): Promise<void> {
  await db
    .updateTable('email_message')
    .set({ state: 'queued', run: null })
    .where('email_id', '=', emailId)
    .where('state', '=', 'sending')
    .where('handed_at', 'is', null)
    .execute()
  await db
    .with('sent', (cte) =>
      cte
        .updateTable('email_message')
        .set({ state: 'sent', sent_at: sql<Date>`handed_at` })
        .where('email_id', '=', emailId)
        .where('state', '=', 'sending')
        .returning(['invite_id', 'handed_at']),
    )
    .updateTable('invite')
    .from('sent')
    .set({ sent_at: sql<Date>`coalesce(invite.sent_at, sent.handed_at)`, bounced_at: null })
    .whereRef('invite.id', '=', 'sent.invite_id')
    .execute()
}
