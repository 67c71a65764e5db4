import { localTime, momentOf } from '../../../lib/time-zone.ts'
import type { Context } from '../../context.ts'
import { countByQuota, countRecentByQuota } from '../../response/submit/quotas.ts'
import type { Quota } from '../../structure/questionnaire.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { percentage } from '../question-stats.ts'
import { assertExactFigures } from '../reader.ts'
import { type StatisticsDay, type StatisticsPage, type SurveyStatistics, surveyStatistics } from '../statistics.ts'
import { countWithin, daysUntil, type Forecast, type Pace, paceOf } from './forecast.ts'
import { countOutcomes, type InvitationOutcomes, type ListOutcomes, NO_INVITATIONS } from './invitation-outcomes.ts'

/** Days of a forecast, such as `2026-01-31`, in the time zone of the board. */
export interface ForecastDays {
  date: string
  earliest: string
  /** Null: the data give no latest day. */
  latest: string | null
}

/** A number of complete responses to reach, and how many there are. */
export interface Target {
  target: number
  count: number
  /** The day on which the target is reached at the present pace; null: it is reached, or there are too few data. */
  forecast: ForecastDays | null
}

export interface QuotaProgress extends Target {
  name: string
  action: Quota['action']
}

export interface CollectorBoard {
  id: number
  name: string
  live: boolean
  isDefault: boolean
  responses: SurveyStatistics['responses']
  completionRate: number | null
  invitations: InvitationOutcomes
}

/** What closes a survey or ends its fieldwork, and when. */
export interface Closing extends ForecastDays {
  reason: 'response_limit' | 'quotas' | 'close_at'
  /** The complete responses at that time; null if there are too few data. */
  complete: { expected: number; low: number; high: number } | null
}

/** The state of the fieldwork of a survey (docs/specification.md 10.6). */
export interface FieldworkBoard {
  /** The number of responses that their respondents have withdrawn. */
  withdrawn: number
  responses: SurveyStatistics['responses']
  completionRate: number | null
  medianSeconds: number | null
  responseLimit: Target | null
  quotas: readonly QuotaProgress[]
  invitations: InvitationOutcomes
  collectors: readonly CollectorBoard[]
  contactLists: readonly ListOutcomes[]
  pages: readonly StatisticsPage[]
  /** The pace of the last whole days; null if there are too few data. */
  pace: Pace | null
  /** Null: the survey is not open, or nothing is known that closes it. */
  closing: Closing | null
  timeZone: string
}

/** A forecast uses at most this number of days before today. */
const PACE_DAYS = 7

const DAY_MS = 86_400_000

/**
 * Computes the board. The cost depends on the number of invitations, quotas and pages, but not on the number of
 * responses without an invitation, because the rollup stores their counts.
 * @param snapshot the snapshot of the survey, for an actor who may see its reports
 * @param timeZone the time zone of the days; UTC is used in place of one that PostgreSQL does not know
 * @throws {Problem} `forbidden` if the actor sees published figures only
 */
export async function fieldworkBoard(
  context: Context,
  snapshot: SurveySnapshot,
  timeZone = 'UTC',
): Promise<FieldworkBoard> {
  assertExactFigures(context, snapshot)
  const { id, settings, collectors } = snapshot
  const statistics = await surveyStatistics(context, snapshot, PACE_DAYS + 1, timeZone, { byCollector: true })
  const outcomes = await countOutcomes(context, id)
  const days = paceDays(statistics)
  const pace = paceOf(days.map(({ complete }) => complete))
  const clock = clockOf(context.now, statistics.timeZone)
  const quotas = await quotaProgress(context, snapshot, days, clock)
  const { max_responses: limit } = settings
  const { complete } = statistics.responses
  const responseLimit = limit === null ? null : targetOf(limit, complete, pace, clock)
  const counts = new Map(statistics.collectors!.map((each) => [each.collector, each]))
  return {
    responses: statistics.responses,
    withdrawn: await withdrawalsOf(context, id),
    completionRate: statistics.completionRate,
    medianSeconds: statistics.medianSeconds,
    responseLimit,
    quotas,
    invitations: outcomes.all,
    collectors: [...collectors.values()].map(({ id, name, live, isDefault }) => {
      const { started = 0, complete = 0, terminated = 0 } = counts.get(id) ?? {}
      return {
        ...{ id, name, live, isDefault },
        responses: { total: started, complete, incomplete: started - complete - terminated, terminated },
        completionRate: started === terminated ? null : percentage(complete, started - terminated),
        invitations: outcomes.byCollector.get(id) ?? NO_INVITATIONS,
      }
    }),
    contactLists: outcomes.byList,
    pages: statistics.pages,
    pace: pace ?? null,
    closing: closingOf(context, snapshot, { responseLimit, quotas, complete, pace, clock }),
    timeZone: statistics.timeZone,
  }
}

async function withdrawalsOf({ em }: Context, surveyId: number): Promise<number> {
  const survey = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select('withdrawals')
    .where('id', '=', surveyId)
    .executeTakeFirstOrThrow()
  return survey.withdrawals
}

/** Returns the whole days before today since the first response, at most {@link PACE_DAYS}. */
function paceDays({ days, responses }: SurveyStatistics): StatisticsDay[] {
  const before = days.slice(0, -1)
  const beganBefore = responses.total > days.reduce((sum, { started }) => sum + started, 0)
  const first = beganBefore ? 0 : before.findIndex(({ started }) => started > 0)
  return first < 0 ? [] : before.slice(first)
}

/** Converts forecasts in days from now to dates. */
interface Clock {
  now: Date
  timeZone: string
  dateAfter(days: number): string
}

const clockOf = (now: Date, timeZone: string): Clock => ({
  now,
  timeZone,
  dateAfter: (days) => localTime(new Date(now.getTime() + days * DAY_MS), timeZone).slice(0, 10),
})

const datesOf = ({ expected, low, high }: Forecast, { dateAfter }: Clock): ForecastDays => ({
  date: dateAfter(expected),
  earliest: dateAfter(low),
  latest: high === null ? null : dateAfter(high),
})

function targetOf(target: number, count: number, pace: Pace | undefined, clock: Clock): Target {
  const forecast = pace && count < target ? daysUntil(target - count, pace) : undefined
  return { target, count, forecast: forecast ? datesOf(forecast, clock) : null }
}

/** Returns the progress of each quota, with the pace of its own responses. */
async function quotaProgress(
  { em }: Context,
  { id, questionnaire }: SurveySnapshot,
  days: readonly StatisticsDay[],
  clock: Clock,
): Promise<QuotaProgress[]> {
  if (questionnaire.quotas.length === 0) return []
  const db = em.getKysely<Tables>()
  const counts = await countByQuota(db, id)
  const { timeZone } = clock
  const first = days[0]
  const recent = first
    ? await countRecentByQuota(db, id, { from: momentOf(first.date, timeZone)!, timeZone })
    : new Map<string, ReadonlyMap<string, number>>()
  return questionnaire.quotas.map(({ name, limit, action }) => {
    const byDay = recent.get(name)
    const pace = paceOf(days.map(({ date }) => byDay?.get(date) ?? 0))
    return { name, action, ...targetOf(limit, counts.get(name) ?? 0, pace, clock) }
  })
}

interface ClosingFacts extends Pick<FieldworkBoard, 'responseLimit' | 'quotas'> {
  complete: number
  pace: Pace | undefined
  clock: Clock
}

/** Returns the first of the days on which the survey closes or all its quotas are full. */
function closingOf(
  { now }: Context,
  { live, unpublished, settings: { close_at: closeAt } }: SurveySnapshot,
  { responseLimit, quotas, complete, pace, clock }: ClosingFacts,
): Closing | null {
  if (!live || unpublished || (closeAt !== null && new Date(closeAt) <= now)) return null
  const open = quotas.filter(({ count, target }) => count < target)
  const closers = open.filter(({ action }) => action === 'close')
  const forecasts: [Closing['reason'], ForecastDays | null][] = [
    ['response_limit', responseLimit?.forecast ?? null],
    ...closers.map(({ forecast }): [Closing['reason'], ForecastDays | null] => ['quotas', forecast]),
    ['quotas', lastOf(open.map(({ forecast }) => forecast))],
    ['close_at', closeAt === null ? null : dayOf(closeAt, clock)],
  ]
  const known = forecasts.flatMap(([reason, days]) => (days ? [{ reason, ...days }] : []))
  const [first] = known.sort((a, b) => a.date.localeCompare(b.date))
  return first ? { ...first, complete: completeAt(first, { responseLimit, complete, pace, clock, closeAt }) } : null
}

function dayOf(moment: string, { timeZone }: Clock): ForecastDays {
  const date = localTime(new Date(moment), timeZone).slice(0, 10)
  return { date, earliest: date, latest: date }
}

/** Returns the forecast that ends last; null if one is unknown. */
function lastOf(forecasts: readonly (ForecastDays | null)[]): ForecastDays | null {
  const known = forecasts.flatMap((forecast) => forecast ?? [])
  return known.length === forecasts.length ? (known.sort((a, b) => b.date.localeCompare(a.date))[0] ?? null) : null
}

/** Returns the number of complete responses on the day of closing. */
function completeAt(
  { reason, date }: Pick<Closing, 'reason' | 'date'>,
  {
    responseLimit,
    complete,
    pace,
    clock: { now, timeZone },
    closeAt,
  }: Omit<ClosingFacts, 'quotas'> & { closeAt: string | null },
): Closing['complete'] {
  if (reason === 'response_limit' && responseLimit) {
    const { target } = responseLimit
    return { expected: target, low: target, high: target }
  }
  const at = reason === 'close_at' && closeAt !== null ? new Date(closeAt) : momentOf(date, timeZone)
  if (!pace || !at) return null
  const { expected, low, high } = countWithin(Math.max(0, at.getTime() - now.getTime()) / DAY_MS, pace)
  const limit = responseLimit?.target ?? Number.POSITIVE_INFINITY
  const total = (more: number) => Math.min(limit, complete + Math.round(more))
  return { expected: total(expected), low: total(low), high: total(high) }
}
