import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import { momentOf } from '../../../lib/time-zone.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { pageLocale } from '../../i18n/page-locale.ts'

/** The time of sending: now, after a delay such as `1w2d`, or at a time. */
export type Schedule = { now: true } | { after: string } | { at: Date }

/** Units of a delay, with the abbreviations that the domain uses for them. */
export const units = [
  { name: 'weeks', unit: 'w' },
  { name: 'days', unit: 'd' },
  { name: 'hours', unit: 'h' },
  { name: 'minutes', unit: 'm' },
] as const

/**
 * Reads the form for the time of sending.
 * @throws {Problem} `invalid_request` with the name of the invalid form field: a unit such as `weeks`, or `date` or
 *   `time`
 */
export function readSchedule(form: FormFields, now: Date): Schedule {
  const chosen = formValue(form, 'when')
  if (chosen === 'after') return { after: readDelay(form) }
  return chosen === 'at' ? { at: readTime(form, now) } : { now: true }
}

function readDelay(form: FormFields): string {
  const parts = units.map(({ name, unit }) => {
    const text = (formValue(form, name) ?? '').trim()
    if (!/^\d{0,5}$/.test(text)) throw problems.invalidField(name, 'not_an_integer')
    return Number(text) > 0 ? `${Number(text)}${unit}` : ''
  })
  const delay = parts.join('')
  if (!delay) throw problems.invalidField('minutes', 'too_small', { min: 1 }, detail('minutes'))
  return delay
}

/** Reads a date and a time of day in the time zone of the page. */
function readTime(form: FormFields, now: Date): Date {
  const date = (formValue(form, 'date') ?? '').trim()
  const time = (formValue(form, 'time') ?? '').trim()
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw problems.invalidField('date', 'invalid_date')
  if (!/^\d{2}:\d{2}(:\d{2})?$/.test(time)) throw problems.invalidField('time', 'invalid_time', { example: '09:30' })
  const scheduledAt = momentOf(`${date}T${time}`, pageLocale().timeZone)
  if (!scheduledAt) throw problems.invalidField('date', 'invalid_date', {}, detail('real_date'))
  if (scheduledAt < now) throw problems.invalidField('date', 'invalid_date', {}, detail('in_the_future'))
  return scheduledAt
}
