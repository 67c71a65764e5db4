import { LockMode } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Actor, Context } from '../context.ts'
import {
  type Access,
  assertAccess,
  authorize,
  can,
  findAccess,
  findAccessBySurvey,
  type Permission,
  visibleTo,
} from '../group/access.ts'
import { groupVisibleTo } from '../group/queries.ts'
import { problems } from '../problem.ts'
import { isAnswerable } from '../structure/publishing/texts.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'
import { lockFeed } from './feed.ts'
import { numberedStructureOf } from './save-version.ts'
import { defaultSettings, publishedCount } from './settings.ts'
import { getSnapshot, peekSnapshot, type SurveySnapshot } from './snapshot.ts'
import { Survey } from './survey.ts'

/** A survey as lists show it: without its structure, with its owner and the number of its responses. */
export interface SurveySummary {
  id: number
  name: string
  slug: string
  live: boolean
  /** Whether the survey was created in the browser and has never been open. */
  unpublished: boolean
  /** The code of the short link; null: a server of an earlier version created the survey. */
  shortCode: string | null
  tags: readonly string[]
  responses: number
  creator: { id: number; username: string }
  createdAt: Date
  updatedAt: Date
}

/**
 * Returns the survey as an entity that the caller only reads.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findSurvey(context: Context, id: number, permission: Permission): Promise<Survey> {
  await authorize(context, id, permission)
  return context.em.findOneOrFail(Survey, id, { failHandler: problems.surveyNotFound })
}

/**
 * Returns the survey as an entity that the caller changes. Locks its row until the commit, so that a concurrent change
 * waits and then sees this change. Call it inside a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function lockSurvey(context: Context, id: number, permission: Permission): Promise<Survey> {
  await authorize(context, id, permission)
  await lockFeed(context.em.getKysely<Tables>(), id)
  return context.em.findOneOrFail(
    Survey,
    { id, deletedAt: null },
    { failHandler: problems.surveyNotFound, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
}

/** Returns the access of an actor to the survey of a snapshot; undefined if the actor has no access. */
export const accessIn = ({ ownerId, members }: SurveySnapshot, actor: Pick<Actor, 'id'>): Access | undefined =>
  ownerId === actor.id ? 'Owner' : members.get(actor.id)

/**
 * Returns the current snapshot of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findSnapshot(
  { em, actor }: Context,
  id: number,
  permission: Permission,
): Promise<SurveySnapshot> {
  const snapshot = await getSnapshot(em, id)
  if (!snapshot) throw problems.surveyNotFound()
  assertAccess(accessIn(snapshot, actor), permission, problems.surveyNotFound)
  return snapshot
}

/**
 * Returns the cached snapshot of a survey, usually without a query. The snapshot may be stale: use it only if its
 * revision is checked later. If a stale snapshot denies access, the current snapshot decides.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function getStaleSnapshot(context: Context, id: number, permission: Permission): Promise<SurveySnapshot> {
  const stale = peekSnapshot(context.services, id) ?? (await getSnapshot(context.em, id))
  return stale && can(accessIn(stale, context.actor), permission) ? stale : findSnapshot(context, id, permission)
}

const summaries = ({ em }: Context) =>
  em
    .getKysely<Tables>()
    .selectFrom('survey')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .select([
      'survey.id',
      'survey.name',
      'slug',
      'live',
      'unpublished',
      'short_code',
      'tags',
      'survey.created_at',
      'updated_at',
      'owner_id',
      'username',
      sql<number | null>`(settings->>'anonymity_threshold')::integer`.as('threshold'),
    ])

/** Returns the numbers of responses of surveys, by survey ID. */
async function responseCounts({ em }: Context, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (!ids.length) return new Map()
  const feeds = em.getKysely<Tables>().selectFrom('survey_feed').select(['survey_id', 'responses'])
  const rows = await (ids.length === 1
    ? feeds.where('survey_id', '=', ids[0]!)
    : feeds.modifyFront(sql.raw(ACROSS_SURVEYS)).where((eb) => eb('survey_id', '=', eb.fn.any(eb.val([...ids]))))
  ).execute()
  return new Map(rows.map(({ survey_id, responses }) => [survey_id, responses]))
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number]

/**
 * Returns the number of responses as the actor sees it: rounded if the actor may not view responses
 * (docs/anonymity-threshold.md).
 */
function shownResponses(
  { id, threshold }: SummaryRow,
  access: Access | undefined,
  counts: ReadonlyMap<number, number>,
) {
  const count = counts.get(id) ?? 0
  return can(access, 'View') ? count : publishedCount(count, threshold ?? defaultSettings.anonymity_threshold)
}

const summaryOf = (
  row: SummaryRow,
  access: Access | undefined,
  counts: ReadonlyMap<number, number>,
): SurveySummary => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  live: row.live,
  unpublished: row.unpublished,
  shortCode: row.short_code,
  tags: row.tags,
  responses: shownResponses(row, access, counts),
  creator: { id: row.owner_id, username: row.username },
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/**
 * Returns the summary of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function summariseSurvey(
  context: Context,
  id: number,
  permission: Permission = 'Member',
): Promise<SurveySummary> {
  const access = await findAccess(context, id)
  assertAccess(access, permission, problems.surveyNotFound)
  const row = await summaries(context).where('survey.id', '=', id).executeTakeFirst()
  if (!row) throw problems.surveyNotFound()
  return summaryOf(row, access, await responseCounts(context, [id]))
}

/** Filters for lists of surveys. */
export interface SurveySearch {
  /** Part of the name, regardless of case. */
  search?: string | undefined
  /** Exact name of a tag. */
  tag?: string | undefined
  /** Id or name of a group that the survey is shared with. */
  group?: string | undefined
  state?: SurveyState | undefined
  /** By default, the oldest surveys come first. `edited`: the survey edited last comes first. */
  order?: 'oldest' | 'newest' | 'name' | 'edited'
}

/** Whether respondents can take a survey. A draft has never been open. */
export type SurveyState = 'live' | 'closed' | 'draft'

/**
 * Returns the surveys that the actor may see, oldest first by default, so that pages stay stable while surveys are
 * added.
 * @returns the total number of matches, and the surveys of the slice
 */
export async function listSurveys(
  context: Context,
  { search, tag, group, state, order = 'oldest' }: SurveySearch = {},
  slice?: Slice,
): Promise<{ total: number; surveys: SurveySummary[] }> {
  let query = summaries(context).where(visibleTo(context.actor))
  if (search)
    query = query.where((eb) =>
      eb(eb.fn('strpos', [eb.fn('lower', ['survey.name']), eb.fn('lower', [eb.val(search)])]), '>', 0),
    )
  if (group)
    query = query.where(({ exists, selectFrom, eb, or }) =>
      exists(
        selectFrom('account_group')
          .innerJoin('survey_group', 'survey_group.group_id', 'account_group.id')
          .select('account_group.id')
          .whereRef('survey_group.survey_id', '=', 'survey.id')
          .where(groupVisibleTo(context.actor))
          .where(
            or([
              eb(eb.cast('account_group.id' as never, 'text'), '=', group),
              eb('account_group.name' as never, '=', group as never),
            ]),
          ),
      ),
    )
  if (tag) query = query.where((eb) => eb(eb.val(tag), '=', eb.fn.any('tags')))
  if (state) query = query.where('live', '=', state === 'live')
  if (state && state !== 'live') query = query.where('unpublished', '=', state === 'draft')
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (order === 'name') query = query.orderBy((eb) => eb.fn('lower', ['survey.name']))
  if (order === 'edited') query = query.orderBy('updated_at', 'desc')
  const ordered = query.orderBy('survey.id', order === 'newest' || order === 'edited' ? 'desc' : 'asc')
  const rows = await (slice ? ordered.offset(slice.offset).limit(slice.limit) : ordered).execute()
  const counts = await responseCounts(
    context,
    rows.map(({ id }) => id),
  )
  const shared = rows.filter((row) => row.owner_id !== context.actor.id)
  const accesses = await findAccessBySurvey(
    context,
    shared.map(({ id }) => id),
  )
  const accessTo = ({ id, owner_id }: SummaryRow) => (owner_id === context.actor.id ? 'Owner' : accesses.get(id))
  return { total, surveys: rows.map((row) => summaryOf(row, accessTo(row), counts)) }
}

/** Maximum number of tags that the filter of a list offers. */
const MAX_OFFERED_TAGS = 200

/** Returns the tags of the surveys that the actor may see, by name. */
export async function listUsedTags({ em, actor }: Context): Promise<readonly string[]> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .where(visibleTo(actor))
    .select(({ fn }) => fn<string>('unnest', ['tags']).as('tag'))
    .distinct()
    .orderBy('tag')
    .limit(MAX_OFFERED_TAGS)
    .execute()
  return rows.map(({ tag }) => tag)
}

/**
 * Returns when the latest response to each survey was created, by survey ID.
 * @param ids of at most one page of surveys, whose responses the actor may view
 */
export async function latestResponseTimes({ em }: Context, ids: readonly number[]): Promise<ReadonlyMap<number, Date>> {
  const times = new Map<number, Date>()
  for (const id of ids) {
    const latest = await em
      .getKysely<Tables>()
      .selectFrom('response')
      .select('created_at')
      .where('survey_id', '=', id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (latest) times.set(id, new Date(latest.created_at))
  }
  return times
}

/** A survey with its questions. */
export interface SurveyDescription {
  summary: SurveySummary
  questionnaire: Questionnaire
}

/**
 * Returns a survey with its compiled questions.
 * @throws {Problem} `survey_not_found`
 */
export async function describeSurvey(context: Context, id: number): Promise<SurveyDescription> {
  const summary = await summariseSurvey(context, id)
  return { summary, questionnaire: (await findSnapshot(context, id, 'Member')).questionnaire }
}

/**
 * Returns the stored structure of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findStructure(context: Context, id: number): Promise<Survey['structure']> {
  const survey = await findSurvey(context, id, ['Edit', 'Test'])
  return (await numberedStructureOf(context, survey)).structure
}

/**
 * Returns those of some surveys that have no question which respondents can answer. Reads whole structures: pass only
 * surveys for which this is likely. Checks no permission.
 */
export async function findEmptySurveys({ em }: Context, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select(['id', sql<string[]>`jsonb_path_query_array(structure::jsonb, '$.form[*].children[*].idname')`.as('kinds')])
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .execute()
  return new Set(rows.filter(({ kinds }) => !kinds.some(isAnswerable)).map(({ id }) => id))
}
