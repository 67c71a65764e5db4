import { constraintName } from '../../lib/postgres-client.ts'
import type { PublicContext } from '../context.ts'
import { claimInvite, findResponseKey, type Invitation, releaseInvite } from '../invitation/visit.ts'
import { storeBatch } from '../response/submit/batch.ts'
import { findResponseRecord } from '../response/submit/save.ts'
import type { NewResponse } from '../response/submit/submission-batcher.ts'
import { lockFeed } from '../survey/feed.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { withEnd } from './path.ts'

/**
 * The result of storing the first page of a response. A number is the id of the response. `stale` is as in {@link
 * SubmissionBatcher.submit}. `key` is the key of a response that was stored earlier, for the same invitation or under
 * the same key.
 */
export type FirstPageResult = number | 'stale' | { key: Buffer }

/**
 * Stores the first page of a response. If the respondent has an invitation and the response is not anonymous, links the
 * response to the invitation.
 */
export async function createFromFirstPage(
  context: PublicContext,
  snapshot: SurveySnapshot,
  { settings }: CollectorSnapshot,
  incoming: NewResponse,
  invited: Invitation | undefined,
): Promise<FirstPageResult> {
  const { submissionBatcher } = context.services
  if (!invited) return submissionBatcher.submit(incoming)
  if (settings.anonymous)
    return settings.one_per_invite && incoming.completed > 0
      ? storeOnce(context, snapshot, incoming, invited)
      : submissionBatcher.submit(incoming)
  const identified = { ...incoming, inviteEmail: invited.email, inviteName: invited.name }
  if (!settings.one_per_invite) return storeAnother(context, identified, invited)
  try {
    return await submissionBatcher.submit({ ...identified, inviteCode: invited.code })
  } catch (error) {
    const key = constraintName(error) === 'response_invite_key' && (await findResponseKey(context, snapshot, invited))
    if (key) return { key }
    throw error
  }
}

/**
 * Stores an anonymous response whose first page is also the last one. The use of the invitation is recorded separately
 * from the response (used-invite.ts). If the invitation was used before, the response stays incomplete, and its
 * respondent sees the same pages.
 */
const storeOnce = (
  context: PublicContext,
  snapshot: SurveySnapshot,
  incoming: NewResponse,
  invited: Invitation,
): Promise<FirstPageResult> =>
  context.em.transactional(async (em) => {
    const db = em.getKysely<Tables>()
    const { key } = incoming
    await lockFeed(db, snapshot.id)
    if (await findResponseRecord(db, snapshot, { key }, false)) return { key }
    const claimed = await claimInvite({ ...context, em }, snapshot.id, invited.id)
    const unclaimed = { completed: 0, weightedScore: null, pagepath: withEnd(incoming.pagepath) } as const
    const [outcome = 'stale'] = await storeBatch(db, [claimed ? incoming : { ...incoming, ...unclaimed }])
    if (outcome === 'stale' && claimed) await releaseInvite({ ...context, em }, invited.id)
    return outcome
  })

/** Stores a response of an invitation that permits several responses. */
const storeAnother = ({ em }: PublicContext, incoming: NewResponse, { code }: Invitation): Promise<FirstPageResult> =>
  em.transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    const [outcome = 'stale'] = await storeBatch(db, [incoming])
    if (outcome !== 'stale')
      await db
        .updateTable('response')
        .set({ invite_code: code, invite_once: false })
        .where('survey_id', '=', incoming.surveyId)
        .where('id', '=', outcome)
        .where('invite_code', 'is', null)
        .execute()
    return outcome
  })
