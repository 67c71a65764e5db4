import { sql } from 'kysely'
import { localTime, momentOf } from '../../lib/time-zone.ts'
import { isTimeZone } from '../account/commands.ts'
import type { Context } from '../context.ts'
import { type CollectorProgress, countProgress } from '../rollup/progress.ts'
import type { LanguageText } from '../structure/questionnaire.ts'
import { publishedCount } from '../survey/settings.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { percentage } from './question-stats.ts'
import { thresholdFor } from './reader.ts'

/** The progress of a survey: how many respondents started and completed it, and where the others stopped. */
export interface SurveyStatistics {
  responses: { total: number; complete: number; incomplete: number; terminated: number }
  /**
   * Percentage of complete responses among all responses except terminated ones; null if there are no responses, or
   * only terminated ones.
   */
  completionRate: number | null
  /**
   * Median completion time, in seconds, of the complete responses among the latest responses; null if none of them has
   * a completion time.
   */
  medianSeconds: number | null
  lastResponseAt: Date | null
  /** All days of the period. The last one is today. */
  days: readonly StatisticsDay[]
  /** The time zone of the days. */
  timeZone: string
  /** The pages of the survey. */
  pages: readonly StatisticsPage[]
  /** The collectors with responses; absent unless they were requested. */
  collectors?: readonly CollectorProgress[]
}

/** The responses that were started on a day. */
export interface StatisticsDay {
  /** Such as `2026-01-31`. */
  date: string
  started: number
  /** The number of these responses that are complete now. */
  complete: number
}

export interface StatisticsPage {
  number: number
  title: LanguageText
  /** Responses in which the respondent submitted the page. */
  submitted: number
  /** Incomplete responses whose last submitted page is this page. */
  stopped: number
}

/**
 * Number of latest responses that are read for the median, which is computed from the complete responses among them.
 */
const LATEST_RESPONSES = 2_000

const DAY_MS = 86_400_000

/** Returns the last days until today in a time zone. */
function lastDays(now: Date, count: number, timeZone: string): string[] {
  const today = Date.parse(localTime(now, timeZone).slice(0, 10))
  return Array.from({ length: count }, (_, index) =>
    new Date(today - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}

/**
 * Computes the statistics of a survey. The cost does not depend on the number of responses, because the rollup stores
 * the counts and the median uses the latest responses only. For readers who may not view responses, counts are rounded
 * (docs/anonymity-threshold.md).
 * @param snapshot the snapshot of the survey, for an actor who may analyze it
 * @param period number of days; the last day is today
 * @param timeZone the time zone of the days; UTC is used in place of one that PostgreSQL does not know
 * @param options `byCollector`: counts by collector as well
 */
export async function surveyStatistics(
  context: Context,
  snapshot: SurveySnapshot,
  period: number,
  timeZone = 'UTC',
  { byCollector = false } = {},
): Promise<SurveyStatistics> {
  const { id: surveyId, questionnaire } = snapshot
  const threshold = thresholdFor(context, snapshot)
  // With another time zone, the days of a reader would differ from those of UTC by single hours.
  const zone = threshold === undefined && (await isTimeZone(context.em, timeZone)) ? timeZone : 'UTC'
  const dates = lastDays(context.now, period, zone)
  const window = zone === 'UTC' ? undefined : { timeZone: zone, from: momentOf(dates[0]!, zone)! }
  const progress = await countProgress(context, surveyId, { window, byCollector })
  const [{ days, pages }, latest] = [progress, await latestResponses(context, surveyId)]
  const shown = (count: number) => publishedCount(count, threshold ?? 1)
  const sum = (of: 'started' | 'complete' | 'terminated') => shown(days.reduce((total, day) => total + day[of], 0))
  const [total, complete, terminated] = [sum('started'), sum('complete'), sum('terminated')]
  const byDate = new Map((progress.localDays ?? days).map((day) => [day.day, day]))
  const byPage = new Map(pages.map((page) => [page.page, page]))
  return {
    responses: { total, complete, incomplete: total - complete - terminated, terminated },
    completionRate: total === terminated ? null : percentage(complete, total - terminated),
    ...(threshold === undefined ? latest : { medianSeconds: null, lastResponseAt: null }),
    timeZone: zone,
    days: dates.map((date) => {
      const { started = 0, complete = 0 } = byDate.get(date) ?? {}
      return { date, started: shown(started), complete: shown(complete) }
    }),
    pages: questionnaire.pages.map(({ number, title }) => {
      const { submitted = 0, stopped = 0 } = byPage.get(number) ?? {}
      return { number, title, submitted: shown(submitted), stopped: shown(stopped) }
    }),
    ...(progress.collectors && { collectors: progress.collectors }),
  }
}

async function latestResponses(
  { em }: Context,
  surveyId: number,
): Promise<Pick<SurveyStatistics, 'medianSeconds' | 'lastResponseAt'>> {
  const db = em.getKysely<Tables>()
  const latest = db
    .selectFrom('response')
    .select(['id', 'created_at', 'completed', 'completion_time'])
    .where('survey_id', '=', surveyId)
    .orderBy('id', 'desc')
    .limit(LATEST_RESPONSES)
  const { median, last } = await db
    .selectFrom(latest.as('latest'))
    .select([
      sql<number | null>`percentile_cont(0.5) within group (order by completion_time) filter (where completed = 1)`.as(
        'median',
      ),
      sql<string | null>`max(created_at)`.as('last'),
    ])
    .executeTakeFirstOrThrow()
  return { medianSeconds: median, lastResponseAt: last === null ? null : new Date(last) }
}
