import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** A message that a run has claimed, with the data to build it. A run is one call of `deliverEmail`. */
export interface ClaimedMessage {
  id: number
  inviteId: number | null
  code: string | null
  attempts: number
  /** The recipient; null if the contact no longer exists. */
  contact: {
    id: number
    name: string
    email: string
    /** Whether any contact with this address has unsubscribed. */
    unsubscribed: boolean
    custom: Readonly<Record<string, string>>
  } | null
}

/**
 * Claims the next message that is due. Its state becomes `sending`, and no other run claims it. From then on, the mail
 * server may have received the message.
 * @param now when the run began. Messages that were queued later are left to another run, because the content of the
 *   email may have changed.
 */
export async function claimNext(
  db: Kysely<Tables>,
  emailId: number,
  run: string,
  now: Date,
): Promise<ClaimedMessage | undefined> {
  const row = await db
    .with('claimed', (cte) =>
      cte
        .updateTable('email_message')
        .set({ state: 'sending', run, handed_at: now })
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
    .selectFrom('claimed')
    .leftJoin('contact', 'contact.id', 'claimed.contact_id')
    .leftJoin('invite', 'invite.id', 'claimed.invite_id')
    .select(['claimed.id', 'claimed.invite_id', 'claimed.attempts', 'invite.code', 'contact.id as contact_id'])
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
 * Requeues the messages of a run that was interrupted. It is not known whether the mail server accepted them, so each
 * message is sent again under the same Message-ID. No message is lost, and mail systems recognise duplicates.
 */
export async function requeueAbandonedMessages(db: Kysely<Tables>, emailId: number): Promise<void> {
  await db
    .updateTable('email_message')
    .set({ state: 'queued', run: null })
    .where('email_id', '=', emailId)
    .where('state', '=', 'sending')
    .execute()
}
