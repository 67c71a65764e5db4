const ISO_8601 =
  /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:(?:^|[T ])(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** Date and time, date only, or time only. */
export type DatetimeFormat = 'datetime' | 'date' | 'time'

interface IsoDatetime {
  format: DatetimeFormat
  /** Milliseconds since 1970, or since midnight for a time only. A value without a time zone is read as UTC. */
  instant: number
}

/**
 * Parses a date or time in the extended format of ISO 8601: `YYYY-MM-DD`, `hh:mm[:ss[.fff]]`, or both separated by `T`
 * or a space, with or without a time zone.
 * @returns undefined for any other text and for a day that does not exist
 */
export function parseIsoDatetime(text: string): IsoDatetime | undefined {
  const match = text.length <= 40 ? ISO_8601.exec(text) : null
  if (!match || text === '') return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '0', zone] = match
  if (year === undefined && zone) return undefined
  const days = year === undefined ? 0 : dayOf(Number(year), Number(month), Number(day))
  if (days === undefined) return undefined
  if (hour === undefined) return { format: 'date', instant: days }
  const offset = zoneMinutes(zone)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || offset === undefined) return undefined
  const minutes = Number(hour) * 60 + Number(minute) - offset
  const instant = days + (minutes * 60 + Number(second)) * 1000 + Number(`0.${fraction}`) * 1000
  return { format: year === undefined ? 'time' : 'datetime', instant }
}

/** Returns a date or time in milliseconds, for comparison; NaN for any other text. */
export const instantOf = (text: string): number => parseIsoDatetime(text.trim())?.instant ?? Number.NaN

/**
 * Returns the start of a day in milliseconds; undefined for a day that does not exist. Years before 100 are rejected as
 * typing mistakes, because `Date.UTC` would read them as 19xx.
 */
function dayOf(year: number, month: number, day: number): number | undefined {
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  return Date.UTC(year, month - 1, day)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Returns a date with a time without its time zone; any other text unchanged. */
export const withoutZone = (text: string): string =>
  text.replace(/^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?:Z|[+-]\d{2}:?\d{2})$/i, '$1')

function zoneMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
