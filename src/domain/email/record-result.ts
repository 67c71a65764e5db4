import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Claimed } from './claim.ts'
import type { MessageState } from './email-message.ts'

/** The result of an attempt to send a message. */
export interface MessageResult {
  state: Exclude<MessageState, 'added' | 'sending'>
  /** The address. */
  address?: string
  error?: string
  /** When the next attempt is due. */
  nextAt?: Date
  /** Whether the attempt counts. */
  tried?: boolean
}

/** Stores the result of a message and of its invitation, unless another run has claimed the message since. */
export async function recordResult(
  db: Kysely<Tables>,
  { id, attempts }: Claimed,
  run: string,
  now: Date,
  { state, address, error, nextAt, tried = false }: MessageResult,
): Promise<void> {
  const marked = db.with('marked', (cte) =>
    cte
      .updateTable('email_message')
      .set({
        state,
        attempts: attempts + (tried ? 1 : 0),
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
  const invite = marked.updateTable('invite').from('marked').whereRef('invite.id', '=', 'marked.invite_id')
  if (state === 'sent')
    await invite.set({ sent_at: sql<Date>`coalesce(invite.sent_at, ${now})`, bounced_at: null }).execute()
  else if (state === 'bounced' || state === 'failed') await invite.set({ bounced_at: now }).execute()
  else await marked.selectFrom('marked').select('invite_id').execute()
}
