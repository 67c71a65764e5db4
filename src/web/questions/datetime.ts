import { withoutZone } from '../../domain/structure/datetime.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
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
