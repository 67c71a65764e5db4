import { problems } from '../../../domain/problem.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

/** When an e-mail is to go out: at once, after a while in the words of the domain (`1w2d`), or at a moment. */
export type When = { now: true } | { after: string } | { at: Date }

/** Units of a while, in the order in which they are shown, by what the domain calls them. */
export const units = [
  { name: 'weeks', unit: 'w' },
  { name: 'days', unit: 'd' },
  { name: 'hours', unit: 'h' },
  { name: 'minutes', unit: 'm' },
] as const

/**
 * Reads what was chosen in the form.
 * @throws {Problem} `invalid_request` naming the field: `weeks` and the other units, `date`, `time`
 */
export function readWhen(form: FormFields, now: Date): When {
  const chosen = formValue(form, 'when')
  if (chosen === 'after') return { after: whileIn(form) }
  return chosen === 'at' ? { at: momentIn(form, now) } : { now: true }
}

function whileIn(form: FormFields): string {
  const parts = units.map(({ name, unit }) => {
    const text = (formValue(form, name) ?? '').trim()
    if (!/^\d{0,5}$/.test(text)) throw problems.invalidField(name, 'not_an_integer')
    return Number(text) > 0 ? `${Number(text)}${unit}` : ''
  })
  const sum = parts.join('')
  if (!sum) throw problems.invalidField('minutes', 'too_small', { min: 1 }, 'must be at least 1 minute')
  return sum
}

/** A date and a time of day in UTC. */
function momentIn(form: FormFields, now: Date): Date {
  const date = (formValue(form, 'date') ?? '').trim()
  const time = (formValue(form, 'time') ?? '').trim()
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw problems.invalidField('date', 'invalid_date')
  if (!/^\d{2}:\d{2}(:\d{2})?$/.test(time)) throw problems.invalidField('time', 'invalid_time', { example: '09:30' })
  const moment = new Date(`${date}T${time}Z`)
  if (Number.isNaN(moment.getTime())) throw problems.invalidField('date', 'invalid_date', {}, 'must be a real date')
  if (moment < now) throw problems.invalidField('date', 'invalid_date', {}, 'must be in the future')
  return moment
}
