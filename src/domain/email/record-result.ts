import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ClaimedMessage } from './claim.ts'
import type { MessageState } from './email-message.ts'

/** The result of an attempt to send a message. */
export interface MessageResult {
  state: Exclude<MessageState, 'added' | 'sending'>
  /** The address to which the message was sent. */
  address?: string
  error?: string
  /** When the next attempt is due. */
  nextAt?: Date
  /** The mail server did not judge this message, so that the attempt does not count. */
  isUncounted?: boolean
}

/**
 * Stores the result of an attempt in the message and in its invitation, unless another run has claimed the message in
 * the meantime.
 */
export async function recordResult(
  db: Kysely<Tables>,
  { id, attempts }: ClaimedMessage,
  run: string,
  now: Date,
  { state, address, error, nextAt, isUncounted }: MessageResult,
): Promise<void> {
  const update = db.with('updated', (cte) =>
    cte
      .updateTable('email_message')
      .set({
        state,
        attempts: state === 'skipped' || isUncounted ? attempts : attempts + 1,
        error: error ?? null,
        handed_at: null,
        ...(nextAt && { next_at: nextAt }),
        ...(address !== undefined && { address }),
        ...(state === 'sent' && { sent_at: now }),
      })
      .where('id', '=', id)
      .where('run', '=', run)
      .where('state', '=', 'sending')
      .returning('invite_id'),
  )
  const invite = update.updateTable('invite').from('updated').whereRef('invite.id', '=', 'updated.invite_id')
  if (state === 'sent')
    await invite.set({ sent_at: sql<Date>`coalesce(invite.sent_at, ${now})`, bounced_at: null }).execute()
  else if (state === 'bounced' || state === 'failed') await invite.set({ bounced_at: now }).execute()
  else await update.selectFrom('updated').select('invite_id').execute()
}
