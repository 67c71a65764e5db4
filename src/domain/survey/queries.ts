import { LockMode } from '@mikro-orm/core'
import type { Slice } from '../../lib/paging.ts'
import type { Actor } from '../actor.ts'
import type { Context } from '../context.ts'
import { type Access, assertAccess, authorize, can, type Permission, visibleTo } from '../group/access.ts'
import { groupVisibleTo } from '../group/queries.ts'
import { problems } from '../problem.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import type { Tables } from '../tables.ts'
import { numberedStructureOf } from './save-version.ts'
import { getSnapshot, peekSnapshot, type SurveySnapshot } from './snapshot.ts'
import { Survey } from './survey.ts'

/** A survey without its structure, with what lists show beside it. */
export interface SurveySummary {
  id: number
  name: string
  slug: string
  live: boolean
  tags: readonly string[]
  responses: number
  creator: { id: number; username: string }
  createdAt: Date
  updatedAt: Date
}

/**
 * Returns the survey as an entity, for reading.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findSurvey(context: Context, id: number, permission: Permission): Promise<Survey> {
  await authorize(context, id, permission)
  return context.em.findOneOrFail(Survey, id, { failHandler: problems.surveyNotFound })
}

/**
 * Returns the survey as an entity, for changing it. Locks its row until the commit, so that of two concurrent changes
 * the second builds on the first. Call it inside a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function lockSurvey(context: Context, id: number, permission: Permission): Promise<Survey> {
  await authorize(context, id, permission)
  return context.em.findOneOrFail(Survey, id, {
    failHandler: problems.surveyNotFound,
    lockMode: LockMode.PESSIMISTIC_WRITE,
  })
}

/** What an actor is to a survey as it is compiled; undefined: nothing. */
export const accessIn = ({ ownerId, members }: SurveySnapshot, actor: Actor): Access | undefined =>
  ownerId === actor.id ? 'Owner' : members.get(actor.id)

/** The survey compiled for answering, as it is now. @throws {Problem} `survey_not_found`, `forbidden` */
export async function findSnapshot({ em, actor }: Context, id: number, demand: Permission): Promise<SurveySnapshot> {
  const snapshot = await getSnapshot(em, id)
  if (!snapshot) throw problems.surveyNotFound()
  assertAccess(accessIn(snapshot, actor), demand, problems.surveyNotFound)
  return snapshot
}

/**
 * The survey compiled for answering, as last seen, mostly without a query. It may be out of date: only for what checks
 * its revision afterwards. Who may is asked again of the survey as it is before anybody is refused.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function getStaleSnapshot(context: Context, id: number, demand: Permission): Promise<SurveySnapshot> {
  const last = peekSnapshot(context.services, id) ?? (await getSnapshot(context.em, id))
  return last && can(accessIn(last, context.actor), demand) ? last : findSnapshot(context, id, demand)
}

const summaries = ({ em }: Context) =>
  em
    .getKysely<Tables>()
    .selectFrom('survey')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .leftJoin('survey_feed', 'survey_feed.survey_id', 'survey.id')
    .select([
      'survey.id',
      'survey.name',
      'slug',
      'live',
      'tags',
      'survey.created_at',
      'updated_at',
      'owner_id',
      'username',
      'responses',
    ])

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number]

const summaryOf = (row: SummaryRow): SurveySummary => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  live: row.live,
  tags: row.tags,
  responses: row.responses ?? 0,
  creator: { id: row.owner_id, username: row.username },
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/** One survey as lists show it. @throws {Problem} `survey_not_found`, `forbidden` */
export async function summariseSurvey(
  context: Context,
  id: number,
  demand: Permission = 'Member',
): Promise<SurveySummary> {
  await authorize(context, id, demand)
  const row = await summaries(context).where('survey.id', '=', id).executeTakeFirst()
  if (!row) throw problems.surveyNotFound()
  return summaryOf(row)
}

export interface SurveySearch {
  /** Part of the name, in any case. */
  search?: string | undefined
  /** A tag's name, exactly. */
  tag?: string | undefined
  /** Id or name of a group that the survey is shared with. */
  group?: string | undefined
  /** The other way round, for people. */
  newestFirst?: boolean
}

/**
 * The surveys an actor may see, oldest first, so that a page keeps its place while surveys are added.
 * @returns how many match in all, and those of the asked-for slice.
 */
export async function listSurveys(
  context: Context,
  { search, tag, group, newestFirst = false }: SurveySearch = {},
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
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const ordered = query.orderBy('survey.id', newestFirst ? 'desc' : 'asc')
  const rows = await (slice ? ordered.offset(slice.offset).limit(slice.limit) : ordered).execute()
  return { total, surveys: rows.map(summaryOf) }
}

/** A survey with its questions. */
export interface SurveyDescription {
  summary: SurveySummary
  questionnaire: Questionnaire
}

/** A survey and its questions, compiled. @throws {Problem} `survey_not_found` */
export async function describeSurvey(context: Context, id: number): Promise<SurveyDescription> {
  const summary = await summariseSurvey(context, id)
  return { summary, questionnaire: (await findSnapshot(context, id, 'Member')).questionnaire }
}

/** The structure as it is kept. @throws {Problem} `survey_not_found`, `forbidden` */
export async function findStructure(context: Context, id: number): Promise<Survey['structure']> {
  const survey = await findSurvey(context, id, ['Edit', 'Test'])
  return (await numberedStructureOf(context, survey)).structure
}
