import { sql } from 'kysely'
import { digest, seal, unseal } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

/*
 * The transaction that stores an anonymous response also records the use of its invitation, so that an invitation
 * permits one response. The record identifies the invitation only by a keyed digest and a sealed ID, which require the
 * secret key of the installation. A job later marks the invitations in a separate transaction, so that neither
 * transaction IDs nor the order of rows link an invitation to a response.
 */
const HASH_PURPOSE = 'used invitation'
const BATCH_ROWS = 10_000

const db = ({ em }: Pick<PublicContext, 'em'>) => em.getKysely<Tables>()

/** Returns the keyed digest that identifies the use of an invitation. */
const usedInviteHash = ({ services }: Pick<PublicContext, 'services'>, inviteId: number): Buffer =>
  digest(services.secretKey, `${HASH_PURPOSE} ${inviteId}`)

/**
 * Records the use of an invitation. Call it inside a transaction.
 * @returns false when the invitation was used before
 */
export async function claimInvite(context: PublicContext, surveyId: number, inviteId: number): Promise<boolean> {
  const claimed = await db(context)
    .insertInto('used_invite')
    .values({
      hash: usedInviteHash(context, inviteId),
      survey_id: surveyId,
      sealed: seal(context.services.secretKey, HASH_PURPOSE, String(inviteId)),
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  if (!claimed) return false
  // This row is read after the insert: while the insert waited, the job may have moved an earlier claim to `used_on`.
  const { used_on } = await db(context)
    .selectFrom('invite')
    .select('used_on')
    .where('id', '=', inviteId)
    .executeTakeFirstOrThrow()
  if (used_on !== null) await releaseInvite(context, inviteId)
  return used_on === null
}

/** Deletes the claim that this transaction has recorded. Call it if no response was stored. */
export async function releaseInvite(context: PublicContext, inviteId: number): Promise<void> {
  await db(context).deleteFrom('used_invite').where('hash', '=', usedInviteHash(context, inviteId)).execute()
}

/**
 * Marks the invitations that were used since the last run, in the order of their IDs.
 * @returns the number of marked invitations
 */
export async function markUsedInvites(context: PublicContext): Promise<number> {
  let marked = 0
  for (let rows = BATCH_ROWS; rows === BATCH_ROWS; marked += rows)
    rows = await context.em.transactional((em) => markBatch({ ...context, em }))
  return marked
}

async function markBatch(context: PublicContext): Promise<number> {
  const { em, now, services } = context
  const batch = await db({ em })
    .selectFrom('used_invite')
    .select(['hash', 'sealed'])
    .orderBy('hash')
    .limit(BATCH_ROWS)
    .forUpdate()
    .execute()
  // If the secret key was replaced, the ID in the row cannot be decrypted. The digest of the row matches no invitation
  // either.
  const ids = batch
    .map(({ sealed }) => Number(unseal(services.secretKey, HASH_PURPOSE, sealed) ?? 0))
    .sort((a, b) => a - b)
  await db({ em })
    .updateTable('invite')
    .set({ used_on: sql`${now}::date` })
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('used_on', 'is', null)
    .execute()
  await db({ em })
    .deleteFrom('used_invite')
    .where('hash', '=', sql<Buffer>`any(${batch.map(({ hash }) => hash)}::bytea[])`)
    .execute()
  return batch.length
}
