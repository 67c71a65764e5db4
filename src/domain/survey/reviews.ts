import type { Context, PublicContext } from '../context.ts'
import { authorize } from '../group/access.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import { structureHash } from '../structure/canonical.ts'
import type { Structure } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { approvedHashOf } from './approval.ts'
import { lockSurvey } from './queries.ts'
import { defaultSettings } from './settings.ts'
import { invalidateSurvey } from './snapshot.ts'
import { findWorkingCopy } from './working-copy.ts'

export const MAX_SENTENCE_CHARACTERS = 500
/** Number of reviews of a survey that are kept; the approvals of versions are always kept. */
const MAX_REVIEWS = 200

export type ReviewState = 'none' | 'pending' | 'approved' | 'returned'

/** A person of a review; the name is empty if the account no longer exists. */
interface ReviewPerson {
  id: number | null
  name: string
}

/** The last review of a survey, and what is published. */
export interface Review {
  /** Whether only an approved structure can be published. */
  isRequired: boolean
  /** Hash of the draft, or of the published structure if there is no draft. */
  hash: string
  state: ReviewState
  /** Whether the review is about the draft as it is now. */
  isCurrent: boolean
  /** Whether the draft as it is now was approved, also in an earlier review. */
  isApproved: boolean
  requester: ReviewPerson | null
  note: string
  requestedAt: Date | null
  decider: ReviewPerson | null
  sentence: string
  decidedAt: Date | null
  /** The published version, and its hash if it was approved. */
  published: { version: number; approvedHash: string | null }
}

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

const reviewsOf = (context: PublicContext, surveyId: number) =>
  db(context).selectFrom('survey_review').where('survey_id', '=', surveyId)

/**
 * Returns the last review of a survey (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findReview(context: Context, surveyId: number): Promise<Review> {
  const { structure, published } = await findWorkingCopy(context, surveyId)
  const hash = structureHash(structure)
  const row = await db(context)
    .selectFrom('survey_review as review')
    .leftJoin('account as requester', 'requester.id', 'review.requester_id')
    .leftJoin('account as decider', 'decider.id', 'review.decider_id')
    .selectAll('review')
    .select(['requester.name as requester_name', 'requester.username as requester_username'])
    .select(['decider.name as decider_name', 'decider.username as decider_username'])
    .where('review.survey_id', '=', surveyId)
    .orderBy('review.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const isDecided = row !== undefined && row.state !== 'pending'
  return {
    isRequired: await isApprovalRequired(context, surveyId),
    hash,
    state: row?.state ?? 'none',
    isCurrent: row?.hash === hash,
    isApproved: await isApproved(context, surveyId, hash),
    requester: row ? { id: row.requester_id, name: row.requester_name || row.requester_username || '' } : null,
    note: row?.note ?? '',
    requestedAt: row ? new Date(row.requested_at) : null,
    decider: isDecided ? { id: row.decider_id, name: row.decider_name || row.decider_username || '' } : null,
    sentence: row?.sentence ?? '',
    decidedAt: row?.decided_at ? new Date(row.decided_at) : null,
    published: { version: published.version, approvedHash: await approvedHashOf(context, surveyId, published.version) },
  }
}

/**
 * Returns whether the draft must be approved before it can be published. The caller has checked the access.
 */
export async function needsApproval(context: Context, surveyId: number, structure: Structure): Promise<boolean> {
  return (
    (await isApprovalRequired(context, surveyId)) && !(await isApproved(context, surveyId, structureHash(structure)))
  )
}

async function isApprovalRequired(context: Context, surveyId: number): Promise<boolean> {
  const survey = db(context).selectFrom('survey').select('settings').where('id', '=', surveyId)
  return { ...defaultSettings, ...(await survey.executeTakeFirstOrThrow()).settings }.approval_required
}

async function isApproved(context: Context, surveyId: number, hash: string): Promise<boolean> {
  const approved = reviewsOf(context, surveyId).select('id').where('state', '=', 'approved').where('hash', '=', hash)
  return (await approved.limit(1).executeTakeFirst()) !== undefined
}

/**
 * Requests a review of the draft as it is now (role Edit). An earlier request that is still open is replaced.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function requestReview(context: Context, surveyId: number, note = ''): Promise<Review> {
  const text = checkSentence('note', note)
  await lockSurvey(context, surveyId, 'Edit')
  const { structure } = await findWorkingCopy(context, surveyId)
  await db(context)
    .deleteFrom('survey_review')
    .where('survey_id', '=', surveyId)
    .where('state', '=', 'pending')
    .execute()
  await forgetOld(context, surveyId)
  const { id } = await db(context)
    .insertInto('survey_review')
    .values({
      ...{ survey_id: surveyId, hash: structureHash(structure), requester_id: context.actor.id },
      ...{ note: text, requested_at: context.now, sentence: '' },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordActivity(context, surveyId, 'review_requested', { review: id })
  return findReview(context, surveyId)
}

/** Deletes the oldest reviews of a survey that approve no version. */
async function forgetOld(context: Context, surveyId: number): Promise<void> {
  const oldest = await reviewsOf(context, surveyId)
    .select('id')
    .where('version', 'is', null)
    .orderBy('id', 'desc')
    .offset(MAX_REVIEWS)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  await db(context)
    .deleteFrom('survey_review')
    .where('survey_id', '=', surveyId)
    .where('version', 'is', null)
    .where('id', '<=', oldest.id)
    .execute()
}

/** A decision about a review. */
export interface Decision {
  decision: 'approve' | 'return'
  /** The hash of the draft that the person saw. */
  hash: string
  sentence?: string | undefined
}

/**
 * Approves the draft, or sends it back with a sentence (role Publish, and Edit or Test). If the survey requires an
 * approval, nobody approves what they requested themselves.
 * @throws {Problem} `survey_not_found`, `forbidden`; `no_review` if no review is pending; `structure_changed` if the
 *   draft is another than the one that was requested or that the person saw; `invalid_request`
 */
export async function decideReview(
  context: Context,
  surveyId: number,
  { decision, hash, sentence: written = '' }: Decision,
): Promise<Review> {
  const sentence = checkSentence('sentence', written)
  if (decision === 'return' && sentence === '') throw problems.invalidField('sentence', 'blank')
  const before = await findReview(context, surveyId)
  await authorize(context, surveyId, 'Publish')
  await lockSurvey(context, surveyId, 'Publish')
  const pending = await reviewsOf(context, surveyId)
    .selectAll()
    .where('state', '=', 'pending')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  if (!pending) throw problems.noReview()
  if (decision === 'approve' && before.isRequired && pending.requester_id === context.actor.id)
    throw problems.forbidden('approve what you requested yourself')
  const { structure, published } = await findWorkingCopy(context, surveyId)
  const current = structureHash(structure)
  if (pending.hash !== hash || current !== hash) throw problems.draftChanged()
  const isPublished = decision === 'approve' && structureHash(published.structure) === hash
  await db(context)
    .updateTable('survey_review')
    .set({
      ...{ state: decision === 'approve' ? 'approved' : 'returned', sentence },
      ...{ decider_id: context.actor.id, decided_at: context.now, version: isPublished ? published.version : null },
    })
    .where('id', '=', pending.id)
    .execute()
  if (isPublished) await invalidateSurvey(context.em, surveyId)
  const kind = decision === 'approve' ? 'review_approved' : 'review_returned'
  await recordActivity(context, surveyId, kind, { review: pending.id })
  return findReview(context, surveyId)
}

function checkSentence(field: string, written: string): string {
  const text = written.trim()
  if (Array.from(text).length > MAX_SENTENCE_CHARACTERS)
    throw problems.invalidField(field, 'too_long', { max: MAX_SENTENCE_CHARACTERS })
  return text
}
