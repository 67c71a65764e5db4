import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { type GroupSummary, visibleGroups } from '../group/queries.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { lockSurvey } from './queries.ts'
import { invalidateSurvey } from './snapshot.ts'

/**
 * Parses group ids: a text in which spaces separate them, or a list. Removes duplicates.
 * @throws {Problem} `invalid_request`
 */
function parseGroupIds(ids: string | readonly number[] | undefined): number[] {
  if (typeof ids === 'object') return [...new Set(ids)]
  const parts = (ids ?? '').split(/\s+/).filter(Boolean)
  if (!parts.length) throw problems.invalidField('group', 'missing_parameter')
  if (!parts.every((id) => /^[1-9]\d{0,14}$/.test(id)))
    throw problems.invalidField('group', 'invalid_id', {}, 'must be IDs of groups, separated by spaces')
  return [...new Set(parts.map(Number))]
}

/**
 * Returns the groups that a survey is shared with and the actor may see, oldest first.
 * @returns the total number, and the groups of the slice
 * @throws {Problem} `survey_not_found`
 */
export async function listSurveyGroups(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; groups: GroupSummary[] }> {
  await authorize(context, surveyId, 'Member')
  const groups = visibleGroups(context).where(({ eb, selectFrom }) =>
    eb('account_group.id', 'in', selectFrom('survey_group').select('group_id').where('survey_id', '=', surveyId)),
  )
  const { total } = await groups
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { total, groups: await groups.offset(offset).limit(limit).execute() }
}

/**
 * Locks groups until the commit, so that their members do not change in the meantime. If a survey is being shared with
 * a group, such a change would not invalidate the cached snapshot of the survey, because the survey is not shared with
 * the group yet. Groups are always locked before surveys.
 */
async function lockGroups({ em }: Context, ids: readonly number[]): Promise<void> {
  const groups = em.getKysely<Tables>().selectFrom('account_group').select('id').where('id', 'in', ids)
  await groups.orderBy('id').forNoKeyUpdate().execute()
}

/**
 * Shares a survey with additional groups that the actor may see. If one of the groups cannot be found, the survey is
 * shared with none of them.
 * @param ids a list, or ids separated by spaces
 * @throws {Problem} `survey_not_found`, `forbidden` unless the actor owns the survey, `group_not_found`,
 *   `invalid_request`
 */
export async function shareSurvey(
  context: Context,
  surveyId: number,
  ids: string | readonly number[] | undefined,
): Promise<void> {
  const groupIds = parseGroupIds(ids)
  await authorize(context, surveyId, 'Owner')
  if (!groupIds.length) return
  const visible = await visibleGroups(context).where('account_group.id', 'in', groupIds).execute()
  if (visible.length < groupIds.length) throw problems.groupNotFound()
  await lockGroups(context, groupIds)
  const survey = await lockSurvey(context, surveyId, 'Owner')
  const added = await context.em
    .getKysely<Tables>()
    .insertInto('survey_group')
    .values(groupIds.map((group_id) => ({ survey_id: survey.id, group_id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('group_id')
    .execute()
  await invalidateSurvey(context.em, survey.id)
  for (const { group_id: group } of added) await recordActivity(context, surveyId, 'survey_shared', { group })
}

/**
 * Stops sharing a survey with a group.
 * @throws {Problem} as {@link shareSurvey}; `group_not_found` if the survey was not shared with the group
 */
export async function unshareSurvey(context: Context, surveyId: number, id: string | undefined): Promise<void> {
  const [groupId, ...more] = parseGroupIds(id)
  if (more.length) throw problems.invalidField('group', 'invalid_id', {}, 'must be the ID of one group')
  await authorize(context, surveyId, 'Owner')
  await lockGroups(context, [groupId!])
  const survey = await lockSurvey(context, surveyId, 'Owner')
  const removed = await context.em
    .getKysely<Tables>()
    .deleteFrom('survey_group')
    .where('survey_id', '=', survey.id)
    .where('group_id', '=', groupId!)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) throw problems.groupNotFound()
  await invalidateSurvey(context.em, survey.id)
  await recordActivity(context, surveyId, 'survey_unshared', { group: groupId! })
}
