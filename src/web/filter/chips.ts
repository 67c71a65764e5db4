import { WITH_ALL, WITH_INCOMPLETE, WITH_SCREENED_OUT } from '../../domain/report/queries.ts'
import { type Filter, type InvalidCondition, parseCondition, splitPairs } from '../../domain/response/filter/filter.ts'
import { predefinedFilters } from '../../domain/response/filter/named-filter.ts'
import type { NamedQuery } from '../../domain/response/filter/saved-filters.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { errorText } from '../i18n/error-texts.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { linkMenu } from '../layout/parts.ts'
import { type FilterField, findFilterField, type TextContext } from './fields.ts'
import { errorId, type FilterPage, pathOf } from './filter-page.ts'
import type { Conditions } from './list-query.ts'
import { inPageZone } from './local-day.ts'

const PREDEFINED: () => Readonly<Record<string, string>> = perLanguage(() => ({
  completed: t('Complete'),
  invite_emails: t('Invited by email'),
  invite_codes: t('Invited by email or code'),
}))

/** Returns the label of a predefined filter, or the name of a saved filter. */
export const filterName = (name: string): string => PREDEFINED()[name] ?? name

/**
 * Renders a menu of the predefined and the saved filters.
 * @param managePath the path of the page that lists the saved filters
 */
export function savedFiltersMenu(page: FilterPage, saved: readonly NamedQuery[], managePath: string): Html {
  const link = (name: string | undefined, text: string) => ({
    href: pathOf(page, { filter: name }),
    text,
    isCurrent: name !== undefined && page.listQuery.filter === name,
  })
  // The status is a control of its own.
  const predefined = [...predefinedFilters.keys()].filter((name) => name !== 'completed')
  const names = [...predefined, ...saved.map(({ name }) => name)]
  const manage = saved.length > 0 && html`<a class="manage" href="${managePath}">Manage…</a>`
  const none = page.listQuery.filter === undefined ? [] : [link(undefined, t('No saved filter'))]
  return linkMenu(t('Saved filters'), [...none, ...names.map((name) => link(name, filterName(name)))], manage)
}

/**
 * Renders the active conditions. Each has a link that removes the condition. An invalid condition also shows its error.
 */
export function filterChips(page: FilterPage, { list, namedError }: Conditions): Part {
  const { listQuery, snapshot, textContext } = page
  const { conditions, filter } = listQuery
  const chips = list.map(({ source, parsed }, index) => {
    const isInvalid = 'error' in parsed
    const fieldOf: FieldOf = (name) => findFilterField(snapshot, name, textContext)
    const text = isInvalid ? invalidText(source, parsed, fieldOf(parsed.name)?.label) : conditionText(parsed, fieldOf)
    const pathWithout = pathOf(page, { conditions: conditions.filter((_, other) => other !== index) })
    return chip(text, pathWithout, isInvalid && errorId(index))
  })
  const withoutNamed = pathOf(page, { filter: undefined })
  if (namedError)
    chips.push(
      chip(t('Filter “{name}” {error}', { name: filter ?? '', error: namedError }), withoutNamed, 'filter-error'),
    )
  const isSeveral = conditions.length + (filter === undefined ? 0 : 1) > 1
  return (
    chips.length > 0 &&
    html`<ul class="tags chips" aria-label="Active filters">
      ${chips}
      ${isSeveral && html`<li><a href="${pathOf(page, { conditions: [], filter: undefined })}">Remove all</a></li>`}
    </ul>`
  )
}

const chip = (text: string, withoutPath: string, id: string | false): Html =>
  html`<li class="${id ? 'tag invalid' : 'tag'}">
    <span${id && html` id="${id}"`}>${text}</span> <a href="${withoutPath}" aria-label="Remove filter: ${text}">
      <span aria-hidden="true">×</span>
    </a>
  </li>`

const invalidText = (source: string, { name, unknown, error }: InvalidCondition, label: string | undefined): string =>
  unknown ? t('Unknown question or property: {name}', { name }) : `${label ?? decoded(source)} ${errorText(error)}`

/** Decodes a part of a URL. Returns a part with invalid encoding unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

type Operator = Filter['operator']

const isTime = ({ input }: FilterField): boolean => input !== 'text' && input !== 'number'

/** Returns the label of an operator for a field. */
export function operatorText(operator: Operator, field: FilterField): string {
  const texts: Record<Operator, string> = {
    '~': t('contains'),
    ...(isTime(field)
      ? { '=': t('is'), '<': t('before'), '>': t('after'), '<=': t('until'), '>=': t('from') }
      : {
          '=': t('is'),
          '<': t('is less than'),
          '>': t('is more than'),
          '<=': t('is at most'),
          '>=': t('is at least'),
        }),
  }
  return operator === '=' && field.multiple ? t('includes') : texts[operator]
}

/** Returns the operators that a field supports, with the most common operator first. */
export const operatorsFor = ({ ordered, searchable }: FilterField): readonly Operator[] => [
  ...(searchable ? (['~'] as const) : []),
  '=',
  ...(ordered ? (['>', '>=', '<', '<='] as const) : []),
]

type FieldOf = (name: string) => FilterField | undefined

/** Returns a condition as text: `Drink is Tea or Coffee`. */
function conditionText(condition: Filter | InvalidCondition, fieldOf: FieldOf): string {
  const alternatives = 'test' in condition && condition.test.kind === 'any' ? condition.test.filters : [condition]
  const texts = alternatives.map((one, index) => {
    const { name, operator, value } = one
    const before = alternatives[index - 1]
    const continues = before?.name === name && [before.operator, operator].every((one) => one === '=') && value !== ''
    return continues ? valueText(one, fieldOf(name)) : comparisonText(one, fieldOf(name))
  })
  return texts.reduce((first, second) => t('{first} or {second}', { first, second }))
}

type Comparison = Pick<Filter, 'name' | 'operator' | 'value'>

function valueText(condition: Comparison, field: FilterField | undefined): string {
  const { value } = inPageZone(condition)
  const { values = [] } = field ?? {}
  const named = values.find((one) => one.value === value) ?? values.find(({ code }) => code === value.trim())
  return named?.label ?? value
}

/** Returns a comparison as text: `Drink is Tea`. */
function comparisonText(condition: Comparison, field: FilterField | undefined): string {
  const { name, operator, value } = inPageZone(condition)
  switch (`${name}${operator}${value}`) {
    case WITH_SCREENED_OUT:
      return t('Including screened-out responses')
    case WITH_INCOMPLETE:
      return t('Including incomplete responses')
    case WITH_ALL:
      return t('Including incomplete and screened-out responses')
  }
  if (!field) return `${name} ${operator} ${value}`
  if (value === '' && operator === '=') return t('{label}: no answer', { label: field.label })
  return `${field.label} ${operatorText(operator, field)} ${valueText(condition, field)}`
}

/** Returns the conditions of a query string as text. */
export const conditionTexts = (snapshot: SurveySnapshot, query: string, context: TextContext): string[] =>
  splitPairs(query)
    .map((part) => parseCondition(snapshot.questionnaire, part))
    .map((parsed) =>
      conditionText(parsed, (name) => ('error' in parsed ? undefined : findFilterField(snapshot, name, context))),
    )
