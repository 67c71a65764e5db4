import { WITH_INCOMPLETE } from '../../domain/report/show.ts'
import type { Operator } from '../../domain/response/filter/condition.ts'
import { parseFilters } from '../../domain/response/filter/filter.ts'
import { metaFieldByKey, STATE_LABELS } from '../../domain/structure/meta-fields.ts'
import { parseBoolean } from '../../domain/structure/pick.ts'
import type { Field, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { targetOf } from '../../domain/structure/target.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { addressOf, isNamed, OWN, PARAMETERS } from './conditions.ts'
import type { Voice } from './i18n.ts'
import type { ReportRequest } from './report-request.ts'

const OPERATORS: Readonly<Record<Operator, string>> = {
  '=': ': ',
  '<': ' < ',
  '>': ' > ',
  '<=': ' ≤ ',
  '>=': ' ≥ ',
  '~': ' contains ',
}

/** What a name in a condition is called. */
function nameText(q: Questionnaire, name: string, voice: Voice): string {
  const meta = metaFieldByKey.get(name)
  if (meta) return meta.label
  const target = targetOf(q, name)
  const question = target?.question ?? target?.field?.question
  if (!question) return name
  const row = target?.field?.row
  return `${voice(question.title) || question.id}${row ? `, ${voice(row.label)}` : ''}`
}

/** What a value in a condition is called. */
function valueText(q: Questionnaire, name: string, value: string, voice: Voice): string {
  const meta = metaFieldByKey.get(name)
  if (meta) return (meta.type === 'state' && STATE_LABELS[Number(value)]) || value || 'none'
  const target = targetOf(q, name)
  const field = target?.field ?? target?.question?.fields[0]
  if (value === '') return 'no answer'
  if (!field || field.type === 'number') return value
  const truth = field.type === 'boolean' ? parseBoolean(field, value) : undefined
  const choice = truth === undefined ? field.choices[Number(value)] : field.choices[truth ? 0 : 1]
  return (choice && voice(choice.label)) || value
}

/** A condition in words: `Which bread?: Rye`. What cannot be read stays as it is written. */
export function conditionText(q: Questionnaire, pair: string, voice: Voice): string {
  if (isNamed(pair)) return `Filter: ${new URLSearchParams(pair).get('filter')}`
  try {
    const found = parseFilters(pair, q, 'strict', PARAMETERS)
    return found
      .map(({ name, operator, value }) =>
        `${name}${operator}${value}` === WITH_INCOMPLETE
          ? 'Including incomplete responses'
          : nameText(q, name, voice) + OPERATORS[operator] + valueText(q, name, value, voice),
      )
      .join(', ')
  } catch {
    return pair
  }
}

/** What narrows the report down, each with a way to take it off. */
export function chipsView(q: Questionnaire, { base, conditions, language }: ReportRequest, voice: Voice): Part {
  if (conditions.length === 0) return null
  return html`<ul class="tags terms" aria-label="Filters">${conditions.map((pair, at) => {
    const text = conditionText(q, pair, voice)
    const rest = conditions.filter((_, other) => other !== at)
    return html`<li><a class="tag" href="${addressOf(base, rest, language)}"><span>${text}</span> <span aria-hidden="true">×</span><span class="hidden">, take this filter off</span></a></li>`
  })}${conditions.length > 1 && html`<li><a href="${addressOf(base, [], language)}">Take all off</a></li>`}</ul>`
}

const option = (value: string, text: string): Html => html`<option value="${value}">${text}</option>`

/** The answers that can be picked of one response key. */
const answersOf = (field: Field, voice: Voice): Html[] =>
  field.choices.map((choice) => {
    const value = field.type === 'boolean' ? String(choice.index === 0) : String(choice.index)
    return option(`${encodeURIComponent(field.key)}=${value}`, voice(choice.label) || String(choice.index))
  })

/** A form that adds a condition: an answer, the state of a response, a saved filter, or days. */
export function filterForm(
  q: Questionnaire,
  { base, conditions, language }: ReportRequest,
  { voice, saved }: { voice: Voice; saved: readonly string[] },
): Html {
  const fields = q.fields.filter(({ choices, type }) => choices.length > 0 && type !== 'ranking')
  return html`<form method="get" action="${base}" class="narrow"><input type="hidden" name="${OWN.base}" value="${conditions.join('&')}">${
    language && html`<input type="hidden" name="${OWN.language}" value="${language}">`
  }<div><label for="where">Only responses with</label><select class="box" id="where" name="${OWN.added}"><option value="">any answer</option>
<optgroup label="State">${option(WITH_INCOMPLETE, 'Any, including incomplete')}${STATE_LABELS.map((text, at) => option(`_completed=${at}`, text))}</optgroup>
${saved.length > 0 && html`<optgroup label="Saved filters">${saved.map((name) => option(`filter=${encodeURIComponent(name)}`, name))}</optgroup>`}
${fields.map((field) => html`<optgroup label="${nameText(q, field.key, voice)}">${answersOf(field, voice)}</optgroup>`)}</select></div>
<div><label for="from">From day</label><input class="box" type="date" id="from" name="${OWN.from}"></div>
<div><label for="to">To day</label><input class="box" type="date" id="to" name="${OWN.to}"></div>
<button>Filter</button></form>`
}

const DATE = /^\d{4}-\d\d-\d\d$/

/** What the form above asks to add, beside what was there; nothing when it was not the form. */
export function addedIn(query: URLSearchParams): string[] | undefined {
  if (![OWN.added, OWN.from, OWN.to].some((name) => query.has(name))) return undefined
  const [from = '', to = ''] = [query.get(OWN.from) ?? '', query.get(OWN.to) ?? '']
  return [
    ...(query.get(OWN.added) ? [query.get(OWN.added)!] : []),
    ...(DATE.test(from) ? [`_created_at>=${from}`] : []),
    ...(DATE.test(to) ? [`_created_at<=${to}`] : []),
  ]
}
