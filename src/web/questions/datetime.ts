import { withoutZone } from '../../domain/structure/datetime.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { inPageLanguage } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { describedBy, descriptionOf, errorView, mainField, textOf, titleOf } from './render-context.ts'

/** How a `datetime` question is drawn and edited. */
export const datetime: QuestionView<'datetime'> = {
  idname: 'datetime',
  name: () => ({ label: t('Date or time'), hint: t('A date, a time or both.'), words: t('calendar day') }),
  settings: () => [
    {
      name: 'format',
      control: 'select',
      label: t('Respondents enter'),
      options: [
        { value: '', label: t('Date and time') },
        { value: 'date', label: t('Date') },
        { value: 'time', label: t('Time') },
      ],
    },
    {
      name: 'earliest',
      control: 'line',
      label: t('First day'),
      hint: t('A date such as 2026-01-31, today, or today with a number of days such as today-7.'),
    },
    { name: 'latest', control: 'line', label: t('Last day'), hint: t('For example today, for a date of birth.') },
  ],
  // Browsers truncate narrow date pickers.
  minSpan: ({ format = 'datetime' }) => (format === 'datetime' ? 6 : 4),
  paper: {
    instructions: ({ question: { earliest, latest } }) => [
      earliest !== undefined && t('First day: {day}.', { day: dayText(earliest) }),
      latest !== undefined && t('Last day: {day}.', { day: dayText(latest) }),
    ],
    render: ({ question: { format = 'datetime' } }) =>
      html`<p class="paper-date">
        ${format !== 'time' && html`${digits(t('Year'), 4)}${digits(t('Month'), 2)}${digits(t('Day'), 2)}`}
        ${format !== 'date' && html`${digits(t('Hour'), 2)}${digits(t('Minute'), 2)}`}
      </p>`,
  },
  render,
}

const dateTypes = { datetime: 'datetime-local', date: 'date', time: 'time' } as const

/** Renders `datetime`. An invalid answer is shown in a text field, because a date picker cannot show it. */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const { format = 'datetime', required, earliest, latest } = context.question
  const value = textOf(context, key)
  const type = context.errors.has(key) && value !== '' ? 'text' : dateTypes[format]
  const local = type === 'datetime-local' ? withoutZone(value) : value
  const limit = (name: 'min' | 'max', day: string | undefined) =>
    type === 'date' && day !== undefined && !day.startsWith('today') && html` ${name}="${day}"`
  return html`
    <label class="question-label" for="${context.idOf(key)}">${titleOf(context)}</label>
    ${descriptionOf(context)}
    ${errorView(context, key)}
    <input class="box short" type="${type}" id="${context.idOf(key)}" name="${key}"
        value="${local}"${limit('min', earliest)}${limit('max', latest)}${describedBy(context, key)}${
          required && html` required`
        }>`
}

/** Renders empty squares for the digits of a date or a time. */
const digits = (label: string, count: number): Html =>
  html`<span class="digits"><span>${inPageLanguage(label)}</span><span aria-hidden="true">${Array.from(
    { length: count },
    () => html`<span class="tick"></span>`,
  )}</span></span>`

/** Returns a limit of a date in words. */
function dayText(limit: string): string {
  if (!limit.startsWith('today')) return limit
  const days = Number(limit.slice('today'.length) || 0)
  if (days === 0) return t('the day on which you answer')
  return days < 0
    ? t('{count} days before the day on which you answer', { count: -days })
    : t('{count} days after the day on which you answer', { count: days })
}
