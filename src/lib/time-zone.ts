const formats = new Map<string, Intl.DateTimeFormat>()

/** The format of numerical dates and times in a time zone. @throws {RangeError} for an unknown time zone */
function numericFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  // Other spellings of a name would fill the memory.
  if (format.resolvedOptions().timeZone === timeZone) formats.set(timeZone, format)
  return format
}

/** Returns the name of a time zone as Intl spells it, such as `Europe/Berlin`; undefined for an unknown one. */
export function canonicalTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return undefined
  try {
    return numericFormat(name).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Returns the local time of a moment, in the notation of the HTML input `datetime-local`: `2026-03-29T03:30:00`. */
export function localTime(at: Date, timeZone: string): string {
  const parts = Object.fromEntries(
    numericFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  return `${parts.year!.padStart(4, '0')}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`
}

const DAY_MS = 86_400_000
const LOCAL_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/

/**
 * Returns the moment of a local time: a date (its beginning), or a date and time. Of two moments, which a clock shows
 * when it is set back, returns the first. A time that the clock skips means the same time before the change.
 * @returns undefined for other texts and dates that do not exist
 */
export function momentOf(local: string, timeZone: string): Date | undefined {
  if (!LOCAL_TIME.test(local)) return undefined
  const text = `${local}${local.length === 10 ? 'T00:00' : ''}`.padEnd(19, ':00')
  const asUtc = new Date(`${text}Z`)
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 19) !== text) return undefined
  const before = new Date(asUtc.getTime() - offsetAt(asUtc.getTime() - DAY_MS, timeZone))
  const after = new Date(asUtc.getTime() - offsetAt(asUtc.getTime() + DAY_MS, timeZone))
  return [before, after].find((at) => localTime(at, timeZone) === text) ?? before
}

/** Returns the difference between local time and UTC in milliseconds. */
const offsetAt = (time: number, timeZone: string): number =>
  Date.parse(`${localTime(new Date(time), timeZone)}Z`) - Math.floor(time / 1000) * 1000
