import { sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { authorize, type Permission, visibleTo } from '../group/access.ts'
import { problems } from '../problem.ts'
import type { SurveySettings } from '../survey/settings.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'
import { Collector } from './collector.ts'

/** A collector as lists show it. */
export interface CollectorSummary {
  id: number
  name: string
  live: boolean
  isDefault: boolean
  /** Settings that replace those of the survey for this collector. */
  settings: Partial<SurveySettings>
  responses: number
  survey: { id: number; slug: string; username: string }
  createdAt: Date
}

/**
 * Returns a collector as an entity that the caller changes.
 * @throws {Problem} `collector_not_found`, `forbidden`
 */
export async function findCollector(
  context: Context,
  id: number,
  permission: Permission = 'Deploy',
): Promise<Collector> {
  const collector = await context.em.findOneOrFail(Collector, id, { failHandler: problems.collectorNotFound })
  await authorize(context, collector.survey.id, permission, problems.collectorNotFound)
  return collector
}

const summaries = ({ em }: Context) =>
  em
    .getKysely<Tables>()
    .selectFrom('collector')
    .innerJoin('survey', 'survey.id', 'collector.survey_id')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .select([
      'collector.id',
      'collector.name',
      'collector.live',
      'collector.is_default',
      'collector.settings',
      'collector.created_at',
      'collector.survey_id',
      'survey.slug',
      'account.username',
    ])

/** Returns the numbers of responses of collectors, by collector ID. */
async function responseCounts(
  { em }: Context,
  collectors: readonly { id: number; survey_id: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (!collectors.length) return new Map()
  const surveys = [...new Set(collectors.map((collector) => collector.survey_id))]
  const ids = collectors.map(({ id }) => id)
  const counts = em
    .getKysely<Tables>()
    .selectFrom('response_count')
    .select(['collector_id', 'responses'])
    .where((eb) => eb('collector_id', '=', eb.fn.any(eb.val(ids))))
  const rows = await (surveys.length === 1
    ? counts.where('survey_id', '=', surveys[0]!)
    : counts.modifyFront(sql.raw(ACROSS_SURVEYS)).where((eb) => eb('survey_id', '=', eb.fn.any(eb.val(surveys))))
  ).execute()
  return new Map(rows.map(({ collector_id, responses }) => [collector_id, responses]))
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number]

const summaryOf = (row: SummaryRow, counts: ReadonlyMap<number, number>): CollectorSummary => ({
  id: row.id,
  name: row.name,
  live: row.live,
  isDefault: row.is_default,
  settings: row.settings,
  responses: counts.get(row.id) ?? 0,
  survey: { id: row.survey_id, slug: row.slug, username: row.username },
  createdAt: new Date(row.created_at),
})

/**
 * Returns the summary of a collector.
 * @throws {Problem} `collector_not_found`, `forbidden`
 */
export async function summariseCollector(context: Context, id: number): Promise<CollectorSummary> {
  const row = await summaries(context).where('collector.id', '=', id).executeTakeFirst()
  if (!row) throw problems.collectorNotFound()
  await authorize(context, row.survey_id, 'Deploy', problems.collectorNotFound)
  return summaryOf(row, await responseCounts(context, [row]))
}

/**
 * Checks that a collector belongs to a survey.
 * @throws {Problem} `collector_not_found`
 */
export async function assertCollectorInSurvey(context: Context, surveyId: number, id: number): Promise<void> {
  const { survey } = await summariseCollector(context, id)
  if (survey.id !== surveyId) throw problems.collectorNotFound()
}

/**
 * Returns the collectors of a survey, oldest first. Without a survey, returns the collectors of all surveys that the
 * actor may deploy.
 * @param slice absent: all collectors
 * @returns the total number, and the collectors of the slice
 * @throws {Problem} `survey_not_found`
 */
export async function listCollectors(
  context: Context,
  surveyId?: number,
  slice?: Slice,
): Promise<{ total: number; collectors: CollectorSummary[] }> {
  let query = summaries(context)
  if (surveyId !== undefined) {
    await authorize(context, surveyId, 'Deploy')
    query = query.where('collector.survey_id', '=', surveyId)
  } else query = query.where(visibleTo(context.actor, 'Deploy'))
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const ordered = query.orderBy('collector.id')
  const rows = await (slice ? ordered.offset(slice.offset).limit(slice.limit) : ordered).execute()
  const counts = await responseCounts(context, rows)
  return { total, collectors: rows.map((row) => summaryOf(row, counts)) }
}
