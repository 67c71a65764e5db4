import type { Filter } from '../../domain/response/filter/filter.ts'
import { localTime, momentOf } from '../../lib/time-zone.ts'
import { pageLocale } from '../i18n/page-locale.ts'

type ConditionParts = Pick<Filter, 'name' | 'operator' | 'value'>

/** The times of a response. In a condition, a date is a day in UTC (docs/specification.md 7.7). */
const TIMES: ReadonlySet<string> = new Set(['_created_at', '_updated_at'])
const DATE = /^\d{4}-\d\d-\d\d$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/
const DAY_MS = 86_400_000

/** Returns whether the page shows and reads a field as days in its time zone. */
export const isLocalDay = (name: string): boolean => TIMES.has(name)

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

const printMoment = (at: Date): string => at.toISOString().replace(/(:00)?\.000Z$/, 'Z')

/**
 * Converts a condition on a day in the time zone of the page into the notation of the API: conditions on moments, which
 * mean the same for every reader of the address. Returns other conditions unchanged.
 */
export function onMoments(condition: ConditionParts): ConditionParts[] {
  const { name, operator, value } = condition
  const { timeZone } = pageLocale()
  if (!TIMES.has(name) || timeZone === 'UTC' || !DATE.test(value)) return [condition]
  const start = momentOf(value, timeZone)
  if (!start) return [condition]
  const end = momentOf(addDays(value, 1), timeZone)!
  const from = (at: Date): ConditionParts => ({ name, operator: '>=', value: printMoment(at) })
  const before = (at: Date): ConditionParts => ({ name, operator: '<', value: printMoment(at) })
  switch (operator) {
    case '=':
      return [from(start), before(end)]
    case '>=':
      return [from(start)]
    case '>':
      return [from(end)]
    case '<':
      return [before(start)]
    case '<=':
      return [before(end)]
    default:
      return [condition]
  }
}

/**
 * Returns a condition on a time as the page shows it: a day in the time zone of the page where the condition means one,
 * a local time, or a day in UTC with this name. Returns other conditions unchanged.
 */
export function inPageZone(condition: ConditionParts): ConditionParts {
  const { name, operator, value } = condition
  const { timeZone } = pageLocale()
  if (!TIMES.has(name)) return condition
  if (DATE.test(value)) return timeZone === 'UTC' ? condition : { ...condition, value: `${value} UTC` }
  if (!MOMENT.test(value) || Number.isNaN(Date.parse(value))) return condition
  const at = new Date(value)
  const local = localTime(at, timeZone)
  const day = local.slice(0, 10)
  const isStart = momentOf(day, timeZone)?.getTime() === at.getTime()
  if (isStart && operator === '>=') return { name, operator, value: day }
  if (isStart && operator === '<') return { name, operator: '<=', value: addDays(day, -1) }
  return { name, operator, value: local.replace('T', ' ').replace(/:00$/, '') }
}
