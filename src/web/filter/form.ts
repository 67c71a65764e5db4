import { WITH_ALL, WITH_INCOMPLETE, WITH_SCREENED_OUT } from '../../domain/report/queries.ts'
import { type Filter, printAlternatives, printCondition, splitPairs } from '../../domain/response/filter/filter.ts'
import { STATE_NAMES } from '../../domain/structure/meta-fields.ts'
import { type Html, html } from '../../lib/html.ts'
import { zoneField } from '../forms/field.ts'
import { zoneName } from '../i18n/page-locale.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { segments } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { conditionTexts, operatorsFor, operatorText } from './chips.ts'
import { type FilterField, filterFields, findFilterField } from './fields.ts'
import { errorId, type FilterPage, pathOf } from './filter-page.ts'
import { type Conditions, firstPage, formatListQuery, type ListQuery, parseListQuery } from './list-query.ts'
import { inPageZone, isLocalDay, onMoments } from './local-day.ts'

type Option = readonly [value: string, label: string]

export const option = (value: string, label: string, selected = false): Html =>
  html`<option value="${value}"${selected && html` selected`}>${label}</option>`

/**
 * Renders a form that changes one part of the query of a page.
 * @param part which part of the query the form changes: `simple`, `condition` or `view` (see `applyForm`)
 */
export const pageForm = ({ listPath, listQuery }: FilterPage, part: string, attributes: Html, content: Html): Html =>
  html`<form method="get" action="${listPath}compose/" ${attributes}>
    <input type="hidden" name="part" value="${part}">
    <input type="hidden" name="base" value="${formatListQuery(firstPage(listQuery)).slice(1)}">
    ${zoneField()}
    ${content}
  </form>`

const STATES = (): readonly Option[] => STATE_NAMES.map((label, value): Option => [String(value), t(label)])

/** Returns the options of the status menu of the list of responses. */
export const ANY_STATUS: () => readonly Option[] = perLanguage(() => [['', t('Any')], ...STATES()])
/** Returns the options of the status menu of a report, which counts complete responses by default. */
export const REPORT_STATUS: () => readonly Option[] = perLanguage(() => [
  ['', t('Complete')],
  [WITH_SCREENED_OUT, t('Complete and screened out')],
  [WITH_INCOMPLETE, t('Complete and incomplete')],
  [WITH_ALL, t('Any')],
  ...STATES().filter(([value]) => value !== '1'),
])

/**
 * Renders the filter of a page in one line: the status, the saved filters, and a form for the days, the collector and a
 * list of other fields. If the user has selected a field from this list, renders the form for this field below.
 * @param saved the menu of saved filters
 */
export function filterBar(page: FilterPage, { list }: Conditions, statuses: readonly Option[], saved: Html): Html {
  const { snapshot, textContext } = page
  const inputOf = (field: SimpleField) => {
    const index = list.findIndex(({ parsed }) => simpleInput(parsed)?.field === field)
    const condition = list[index]?.parsed
    const error = condition && 'error' in condition && html` aria-invalid="true" aria-describedby="${errorId(index)}"`
    return { value: condition ? simpleInput(condition)!.value : '', error }
  }
  const choice = (name: 'completed' | 'collector', label: string, options: readonly Option[]) =>
    html`<div>
      <label for="${name}">${label}</label>
      <select class="box" id="${name}" name="${name}">
        ${options.map(([value, text]) => option(value, text, value === inputOf(name).value))}
      </select>
    </div>`
  const day = (name: 'from' | 'to', label: string) => {
    const { value, error } = inputOf(name)
    // An invalid day is shown as the user entered it.
    const type = value === '' || /^\d{4}-\d\d-\d\d$/.test(value) ? 'date' : 'text'
    return html`<div class="day">
      <label for="${name}">${label}</label>
      <input class="box" type="${type}" id="${name}" name="${name}" value="${value}"${error}>
    </div>`
  }
  const fields = filterFields(snapshot, textContext)
  const group = (of: FilterField['of'], label: string) => {
    const groupFields = fields.filter((field) => field.of === of)
    return (
      groupFields.length > 0 &&
      html`<optgroup label="${label}">${groupFields.map((one) => option(one.name, one.label))}</optgroup>`
    )
  }
  const picked =
    page.listQuery.pick === undefined ? undefined : findFilterField(snapshot, page.listQuery.pick, textContext)
  const status = inputOf('completed').value
  const segment = ([value, text]: Option) => ({
    href: pathOf(page, { conditions: withStatus(page.listQuery.conditions, value) }),
    text,
    isCurrent: value === status,
  })
  const single = statuses.filter(([value]) => value !== WITH_SCREENED_OUT && value !== WITH_INCOMPLETE)
  const form = pageForm(
    page,
    'simple',
    html`class="form-row" aria-label="Filter"`,
    html`
      ${
        single.length < statuses.length
          ? choice('completed', t('Status'), statuses)
          : html`<input type="hidden" name="completed" value="${status}">`
      }
      ${day('from', t('Started from ({zone})', { zone: zoneName() }))}
      ${day('to', t('Started until ({zone})', { zone: zoneName() }))}
      ${
        snapshot.collectors.size > 1 &&
        choice('collector', t('Collector'), [
          ['', t('All')],
          ...[...snapshot.collectors.values()].map(({ id, name }): Option => [String(id), name]),
        ])
      }
      <div class="wide">
        <label for="pick">Add filter</label>
        <select class="box" id="pick" name="pick">
          <option value="">Choose a question or property</option>
          ${group('question', t('Questions'))}
          ${group('response', t('Response details'))}
        </select>
      </div>
      <button>Apply</button>`,
  )
  const count = list.length
  // On a phone, the form is as high as the screen. The chips below name the filters that apply.
  return html`
    <div class="filter-bar">
    ${segments(t('Status'), single.map(segment))}
    ${saved}
    <details class="fold"${list.some(({ parsed }) => 'error' in parsed) && html` open`}>
      <summary>${count > 0 ? t('Filter ({count})', { count }) : t('Filter')}</summary>
      ${form}
    </details>
    </div>
    ${picked && conditionForm(page, picked, list)}`
}

/** Renders the form for a condition on the selected field. */
function conditionForm(page: FilterPage, field: FilterField, list: Conditions['list']): Html {
  const { snapshot, textContext } = page
  const others = list.flatMap(({ source, parsed }, index) =>
    'error' in parsed ? [] : [[String(index), conditionTexts(snapshot, source, textContext)[0] ?? source] as const],
  )
  return pageForm(
    page,
    'condition',
    html`class="card form-row picked" aria-labelledby="picked"`,
    html`
      <input type="hidden" name="name" value="${field.name}">
      <h2 id="picked">${field.label}</h2>
      ${field.values ? valueChoices(field) : valueInput(field)}
      ${
        others.length > 0 &&
        html`<div class="wide">
          <label for="or">Combine</label>
          <select class="box" id="or" name="or">
            <option value="">And: all filters must match</option>
            ${others.map(([index, text]) => option(index, t('Or: instead of “{filter}”', { filter: text })))}
          </select>
        </div>`
      }
      <div class="actions">
        <button class="primary small">Add filter</button>
        <a class="button plain small" href="${pathOf(page)}">Cancel</a>
      </div>`,
  )
}

const valueChoices = ({ values = [], multiple, optional }: FilterField): Html =>
  html`<fieldset class="wide">
    <legend>${multiple ? t('Includes one of') : t('Is one of')}</legend>
    <div class="choices">
      ${[...values, ...(optional ? [{ value: '', label: t('No answer') }] : [])].map(
        ({ value, label }) =>
          html`<label class="check-label"><input type="checkbox" name="value" value="${value}"> ${label}</label>`,
      )}
    </div>
  </fieldset>`

const valueInput = (field: FilterField): Html =>
  html`
    <div>
      <label for="operator">Condition</label>
      <select class="box" id="operator" name="operator">
        ${operatorsFor(field).map((one) => option(one, operatorText(one, field)))}
        ${field.optional && option('none', t('has no answer'))}
      </select>
    </div>
    <div class="wide">
      <label for="value">${isLocalDay(field.name) ? t('Date ({zone})', { zone: zoneName() }) : t('Value')}</label>
      <input class="box" id="value" name="value" type="${field.input}"${field.input === 'number' && html` step="any"`}>
    </div>`

/**
 * The conditions for which the filter form has inputs. When the form is submitted, it replaces these conditions in the
 * URL.
 */
const SIMPLE = [
  { field: 'completed', name: '_completed', operator: '=' },
  { field: 'from', name: '_created_at', operator: '>=' },
  { field: 'to', name: '_created_at', operator: '<=' },
  { field: 'collector', name: '_collector', operator: '=' },
] as const

type SimpleField = (typeof SIMPLE)[number]['field']

type ConditionParts = Pick<Filter, 'name' | 'operator' | 'value'>

/** The conditions on several statuses, which are values of the input for the status. */
const SEVERAL_STATUSES: ReadonlySet<string> = new Set([WITH_SCREENED_OUT, WITH_INCOMPLETE, WITH_ALL])

/** Returns the input of the filter form that shows a condition, and the value of the input. */
function simpleInput(condition: ConditionParts): { field: SimpleField; value: string } | undefined {
  const status = `${condition.name}${condition.operator}${condition.value}`
  if (SEVERAL_STATUSES.has(status)) return { field: 'completed', value: status }
  const shown = inPageZone(condition)
  const input = SIMPLE.find(({ name, operator }) => name === shown.name && operator === shown.operator)
  // The inputs for days show no times of day and no days of another time zone.
  return input && !shown.value.includes(' ') ? { field: input.field, value: shown.value } : undefined
}

/**
 * Returns the input of the filter form that replaces a condition when the form is submitted.
 * @param part the condition as it is written in the URL
 */
function simpleField(part: string): SimpleField | undefined {
  const plain = part.replace(/%3E/gi, '>').replace(/%3C/gi, '<').replace(/%3D/gi, '=').replace(/%3A/gi, ':')
  const [, name = '', operator = '', value = ''] = /^(\w+)([<>]?=|[<>])(.*)$/.exec(plain) ?? []
  return simpleInput({ name, operator: operator as Filter['operator'], value })?.field
}

/** Returns conditions with another status. @param value a value of the input for the status */
function withStatus(conditions: readonly string[], value: string): string[] {
  const others = conditions.filter((part) => simpleField(part) !== 'completed')
  if (value === '') return others
  return [SEVERAL_STATUSES.has(value) ? value : `_completed=${value}`, ...others]
}

/**
 * Redirects a submitted form to the URL of the page with the filter, columns and order that the form contains, so that
 * users can share a link to the filtered page. The page at this URL reports invalid input.
 * @param listPath the path of the page
 */
export function applyForm(listPath: string, form: URLSearchParams): PageResult {
  const query = firstPage(parseListQuery(form.get('base') ?? ''))
  const changed = changes[form.get('part') ?? '']?.(query, form) ?? query
  return { redirect: listPath + formatListQuery(changed) }
}

const changes: Readonly<Record<string, (query: ListQuery, form: URLSearchParams) => ListQuery>> = {
  simple: (query, form) => ({
    ...query,
    conditions: [
      ...SIMPLE.flatMap(({ field, name, operator }) => {
        const value = form.get(field)?.trim()
        if (value !== undefined && SEVERAL_STATUSES.has(value)) return [value]
        return value ? onMoments({ name, operator, value }).map(printCondition) : []
      }),
      ...query.conditions.filter((part) => simpleField(part) === undefined),
    ],
    pick: form.get('pick') || undefined,
  }),
  condition: (query, form) => ({
    ...query,
    conditions: withConditions(query.conditions, conditionIn(form), form.get('or')),
  }),
  view: (query, form) => ({
    ...query,
    columns: form.getAll('column'),
    language: form.get('language') || undefined,
    oldestFirst: form.get('order') === 'oldest',
  }),
}

const OPERATORS = ['=', '<', '>', '<=', '>=', '~'] as const

/**
 * Reads the form for one condition. The operator `none` selects responses without an answer to the question. Several
 * values are alternatives. A day can need two conditions.
 */
function conditionIn(form: URLSearchParams): string[] {
  const name = form.get('name')
  if (!name) return []
  const operator = OPERATORS.find((one) => one === form.get('operator')) ?? '='
  const values = form.get('operator') === 'none' ? [''] : form.getAll('value').map((value) => value.trim())
  const conditions = values.map((value) =>
    onMoments({ name, operator, value }).flatMap((condition) => splitPairs(printCondition(condition))),
  )
  return values.length > 1 ? [printAlternatives(conditions.flat())] : conditions.flat()
}

/** Adds conditions: each of them must be met, or if an index is given, each of them or the condition at this index. */
function withConditions(conditions: readonly string[], added: readonly string[], or: string | null): string[] {
  const other = conditions[/^\d{1,3}$/.test(or ?? '') ? Number(or) : -1]
  if (other === undefined) return [...conditions, ...added]
  const joined = added.map((one) => printAlternatives([other, one]))
  return conditions.flatMap((condition) => (condition === other && joined.length > 0 ? joined : condition))
}
