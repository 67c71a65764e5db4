import { LockMode } from '@mikro-orm/core'
import type { ExpressionBuilder } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Actor, Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import type { Tables } from '../tables.ts'
import { freshSnapshot, lastSnapshot, type SurveySnapshot } from './snapshot.ts'
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

/** Which surveys an actor may see. Every query for surveys goes through it: another's survey is a missing survey. */
export const seenBy = (actor: Actor) => (eb: ExpressionBuilder<Tables, 'survey'>) =>
  eb('survey.owner_id', '=', actor.id)

/**
 * The survey as an entity, for changing it: inside a transaction its row is locked, so that of two changes at the same
 * moment the second waits and builds on the first.
 * @throws {Problem} `survey_not_found`
 */
export const findSurvey = ({ em, actor }: Context, id: number): Promise<Survey> =>
  em.findOneOrFail(
    Survey,
    { id, owner: actor.id },
    {
      failHandler: problems.surveyNotFound,
      ...(em.isInTransaction() && { lockMode: LockMode.PESSIMISTIC_WRITE }),
    },
  )

/** The survey compiled for answering, as it is now. @throws {Problem} `survey_not_found` */
export async function findSnapshot({ em, actor }: Context, id: number): Promise<SurveySnapshot> {
  const snapshot = await freshSnapshot(em, id)
  if (!snapshot || snapshot.ownerId !== actor.id) throw problems.surveyNotFound()
  return snapshot
}

/**
 * The survey compiled for answering, as last seen, mostly without a query. It may be out of date: only for what checks
 * its revision afterwards.
 * @throws {Problem} `survey_not_found`
 */
export async function findLastSnapshot({ em, actor }: Context, id: number): Promise<SurveySnapshot> {
  const snapshot = await lastSnapshot(em, id)
  if (!snapshot || snapshot.ownerId !== actor.id) throw problems.surveyNotFound()
  return snapshot
}

const summaries = ({ em, actor }: Context) =>
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
    .where(seenBy(actor))

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

/** One survey as lists show it. @throws {Problem} `survey_not_found` */
export async function summariseSurvey(context: Context, id: number): Promise<SurveySummary> {
  const row = await summaries(context).where('survey.id', '=', id).executeTakeFirst()
  if (!row) throw problems.surveyNotFound()
  return summaryOf(row)
}

export interface SurveySearch {
  /** Part of the name, in any case. */
  search?: string | undefined
  /** A tag's name, exactly. */
  tag?: string | undefined
  /** Id or name of a group the survey is shared with. No survey is shared yet, so none matches. */
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
  let query = summaries(context)
  if (search)
    query = query.where((eb) =>
      eb(eb.fn('strpos', [eb.fn('lower', ['survey.name']), eb.fn('lower', [eb.val(search)])]), '>', 0),
    )
  if (group) query = query.where(({ lit }) => lit(false))
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
  return { summary, questionnaire: (await findSnapshot(context, id)).questionnaire }
}

/** The structure as it is kept. @throws {Problem} `survey_not_found` */
export async function structureOf(context: Context, id: number): Promise<Survey['structure']> {
  const survey = await findSurvey(context, id)
  await context.em.populate(survey, ['structure'])
  return survey.structure
}
