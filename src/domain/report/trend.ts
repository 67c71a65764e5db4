import { type Kysely, type RawBuilder, sql } from 'kysely'
import { typeOf } from '../../questions/index.ts'
import { isTimeZone } from '../account/commands.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import { classSources } from '../response/filter/predicate.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import type { Choice, Field, Questionnaire } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import { remember } from '../survey/remembered.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { choiceClasses, countableField } from './cross-table.ts'
import { type ReportFilter, reportFilters } from './queries.ts'
import { npsBreakdown, plainTally } from './question-stats.ts'
import { combineMoments, type MeanSummary, meanSummary, momentsOf, shareInterval } from './significance.ts'

/** Periods of a trend: days, ISO weeks (from Monday), or waves, which are collectors. */
export const trendPeriods = ['day', 'week', 'wave'] as const
export type TrendPeriod = (typeof trendPeriods)[number]

/** The answers to a question in a period. */
export interface TrendPoint {
  /** The first day of the period, such as `2026-01-31`; of a wave, the day of its first response. */
  from: string
  /** The collector; only for waves. Undefined: a deleted one. */
  wave?: { id: number; name: string | undefined }
  /** Responses with an answer: the base of the percentages. */
  answered: number
  /** The mean of scores or numbers; absent for a multiple choice. */
  mean?: MeanSummary
  nps?: { score: number | null; interval: readonly [number, number] | null }
  choices: readonly { choice: Choice; count: number; interval: readonly [low: number, high: number] | null }[]
}

/** The answers to a question over time. */
export interface Trend {
  questionnaire: Questionnaire
  field: Field
  by: TrendPeriod
  timeZone: string
  /** In the order of time. Periods without answers are left out. */
  points: readonly TrendPoint[]
}

/** Maximum number of periods, so that a trend of decades stays readable and small. */
const MAX_PERIODS = 1_000

/**
 * Counts the answers to a question by period.
 * @param request `question` is an ID, a response key or an identifier; `timeZone` is that of days and weeks, and absent,
 *   that of the account
 * @throws {Problem} `survey_not_found`, `forbidden`; `invalid_request` naming `question`, `time_zone`, `by` or a filter
 */
export async function showTrend(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  search: ResponseSearch,
  { question, by, timeZone }: { question: string; by: TrendPeriod; timeZone?: string | undefined },
): Promise<Trend> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const { questionnaire } = snapshot
  const field = countableField(questionnaire, question, 'question')
  const zone = timeZone ?? (await zoneOfAccount(context))
  if (!(await isTimeZone(context.em, zone))) throw problems.invalidField('time_zone', 'unknown_time_zone')
  const filters = await reportFilters(context, snapshot, report, search)
  const db = context.em.getKysely<Tables>()
  const rows = await remember(context, snapshot, ['trend', filters, field.key, by, zone], () =>
    countByPeriod(db, surveyId, filters, { field, by, zone }),
  )
  const byPeriod = Map.groupBy(rows, ({ period }) => period)
  if (byPeriod.size > MAX_PERIODS) throw problems.invalidField('by', 'limit_reached', { max: MAX_PERIODS })
  const points = [...byPeriod.values()].map((counts) => pointOf(snapshot, field, by, counts))
  points.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : (a.wave?.id ?? 0) - (b.wave?.id ?? 0)))
  return { questionnaire, field, by, timeZone: zone, points: points.filter(({ answered }) => answered > 0) }
}

async function zoneOfAccount({ em, actor }: Context): Promise<string> {
  const account = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('time_zone')
    .where('id', '=', actor.id)
    .executeTakeFirst()
  return account?.time_zone ?? 'UTC'
}

interface PeriodCount {
  /** The first day, or the collector. */
  period: string
  /** The day of the first response. */
  first: string
  /** The position of the class of the answer, see {@link choiceClasses}; null for numbers. */
  class: number | null
  count: number
  mean: number | null
  variance: number | null
}

/**
 * Counts the answers by period and class with one statement, which reads the responses once. Texts of days are made of
 * the groups, and weeks of the days, because both take longer than all else for a response.
 */
async function countByPeriod(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  { field, by, zone }: { field: Field; by: TrendPeriod; zone: string },
): Promise<PeriodCount[]> {
  const day = (moment: RawBuilder<unknown>) => sql`(${moment} at time zone ${zone}::text)::date`
  const isWave = by === 'wave'
  const matching = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .select(['completed', 'answers', 'created_at', 'collector_id'])
  const isNumber = field.choices.length === 0
  const value = isNumber ? sql`${numberIn(field.storedKey)}` : sql`null::numeric`
  const source = isNumber ? sql`(select 1) as no_class` : classSources(choiceClasses(field))
  const { rows } = await sql<PeriodCount>`
    select ${isWave ? sql`period::text` : sql`to_char(period, 'YYYY-MM-DD')`} as period,
      to_char(${isWave ? day(sql`first`) : sql`period`}, 'YYYY-MM-DD') as first, class, count, mean, variance
    from (
      select period, min(created_at) as first, class, count(*) as count,
        ${isNumber ? sql`avg(value)::float8 as mean, var_pop(value)::float8 as variance` : sql`null as mean, null as variance`}
      from (
        select ${isWave ? sql`response.collector_id` : day(sql`response.created_at`)} as period, response.created_at,
          ${isNumber ? sql`null::integer` : sql`class`} as class, ${value} as value
        from ${matching} as response, ${source}
        offset 0
      ) as answer
      where ${isNumber ? sql`value` : sql`class`} is not null
      group by period, class
    ) as period`.execute(db)
  return by === 'week' ? byWeek(rows) : rows
}

const DAY_MS = 86_400_000

/** Returns the first day of the ISO week of a day. */
function weekOf(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`)
  // 1 January 1970 was a Thursday.
  const weekday = (Math.floor(time / DAY_MS) + 3) % 7
  return new Date(time - ((weekday + 7) % 7) * DAY_MS).toISOString().slice(0, 10)
}

/** Adds up days to weeks. */
function byWeek(days: readonly PeriodCount[]): PeriodCount[] {
  const weeks = Map.groupBy(days, (day) => `${weekOf(day.period)} ${day.class}`)
  return [...weeks.values()].map((parts) => {
    const { n, mean, squares } = combineMoments(
      parts.map(({ count, mean, variance }) => ({ n: count, mean: mean ?? 0, squares: (variance ?? 0) * count })),
    )
    const first = parts.map((one) => one.first).sort()[0]!
    return { period: weekOf(first), first, class: parts[0]!.class, count: n, mean, variance: squares / n }
  })
}

function pointOf(
  { collectors }: SurveySnapshot,
  field: Field,
  by: TrendPeriod,
  counts: readonly PeriodCount[],
): TrendPoint {
  const [{ period }] = counts as [PeriodCount]
  const first = counts.map((one) => one.first).sort()[0]!
  const base = {
    from: by === 'wave' ? first : period,
    ...(by === 'wave' && { wave: { id: Number(period), name: collectors.get(Number(period))?.name } }),
  }
  if (field.choices.length === 0) {
    const { count: n, mean, variance } = counts[0]!
    return { ...base, answered: n, mean: meanSummary({ n, mean: mean!, squares: variance! * n }), choices: [] }
  }
  const multiple = field.type === 'multi'
  const byClass = new Map(counts.map((one) => [one.class, one.count]))
  const answered = multiple
    ? (byClass.get(choiceClasses(field).predicates.length - 1) ?? 0)
    : counts.reduce((sum, { count }) => sum + count, 0)
  const choices = field.choices.map((choice, index) => {
    const count = byClass.get(index) ?? 0
    return { choice, count, interval: shareInterval(count, answered) }
  })
  if (multiple) return { ...base, answered, choices }
  const mean = meanSummary(momentsOf(choices.map(({ choice, count }) => [choice.score, count])))
  if (!typeOf(field.question.kind)?.promoters) return { ...base, answered, mean, choices }
  const { score, interval } = npsBreakdown(choices.map(({ choice, count }) => [choice.index, plainTally(count)]))
  return { ...base, answered, mean, nps: { score, interval }, choices }
}
