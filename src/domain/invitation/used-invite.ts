import { sql } from 'kysely'
import { seal, unseal } from '../../lib/seal.ts'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

/*
 * An anonymous response is stored together with the fact that an invitation was used, so that an invitation brings one
 * response. Which invitation it was, only the key of the installation can tell: the row holds a keyed digest and a
 * sealed number. A job moves what has gathered to the invitations, all in one transaction of its own, so that neither
 * transaction numbers nor the order of rows lead from an invitation to a response.
 */
const HASH_PURPOSE = 'used invitation'
const BATCH_ROWS = 10_000

const db = ({ em }: Pick<PublicContext, 'em'>) => em.getKysely<Tables>()

/** Returns the name under which the use of an invitation is kept. */
export const usedInviteHash = ({ services }: Pick<PublicContext, 'services'>, inviteId: number): Buffer =>
  digest(services.secretKey, `${HASH_PURPOSE} ${inviteId}`)

/** Notes that an invitation is used. Call it inside a transaction. @returns false: it was used before */
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
  // Looked at afterwards: the job may have moved an earlier claim there while we waited for it.
  const { used_on } = await db(context)
    .selectFrom('invite')
    .select('used_on')
    .where('id', '=', inviteId)
    .executeTakeFirstOrThrow()
  if (used_on !== null) await releaseInvite(context, inviteId)
  return used_on === null
}

/** Takes back a claim of this transaction: nothing was stored. */
export async function releaseInvite(context: PublicContext, inviteId: number): Promise<void> {
  await db(context).deleteFrom('used_invite').where('hash', '=', usedInviteHash(context, inviteId)).execute()
}

/** Marks the invitations that were used since the last time, in order of their numbers. @returns how many */
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
  // One that cannot be opened was sealed with a key that has been replaced: it goes on to hold by its digest to nobody.
  const ids = batch
    .map(({ sealed }) => Number(unseal(services.secretKey, HASH_PURPOSE, sealed) ?? 0))
    .sort((a, b) => a - b)
  await db({ em })
    .updateTable('invite')
    .set({ used_on: now })
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('used_on', 'is', null)
    .execute()
  await db({ em })
    .deleteFrom('used_invite')
    .where('hash', '=', sql<Buffer>`any(${batch.map(({ hash }) => hash)}::bytea[])`)
    .execute()
  return batch.length
}
