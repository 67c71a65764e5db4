import { WITH_ALL, WITH_INCOMPLETE, WITH_SCREENED_OUT } from '../../domain/report/queries.ts'
import { type Filter, printCondition, splitPairs } from '../../domain/response/filter/filter.ts'
import type { PageResult } from '../page.ts'
import { firstPage, formatListQuery, type ListQuery, parseListQuery } from './list-query.ts'
import { inPageZone, onMoments } from './local-day.ts'

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

export type SimpleField = (typeof SIMPLE)[number]['field']

type ConditionParts = Pick<Filter, 'name' | 'operator' | 'value'>

/** The conditions on several statuses, which are values of the input for the status. */
const SEVERAL_STATUSES: ReadonlySet<string> = new Set([WITH_SCREENED_OUT, WITH_INCOMPLETE, WITH_ALL])

/** Returns the input of the filter form that shows a condition, and the value of the input. */
export function simpleInput(condition: ConditionParts): { field: SimpleField; value: string } | undefined {
  const status = `${condition.name}${condition.operator}${condition.value}`
  if (SEVERAL_STATUSES.has(status)) return { field: 'completed', value: status }
  const shown = inPageZone(condition)
  const input = SIMPLE.find(({ name, operator }) => name === shown.name && operator === shown.operator)
  // The inputs for days show no times of day and no days of another time zone.
  return input && !shown.value.includes(' ') ? { field: input.field, value: shown.value } : undefined
}

/**
 * Returns whether a submitted filter form replaces a condition.
 * @param part the condition as it is written in the URL
 */
function isSimple(part: string): boolean {
  const plain = part.replace(/%3E/gi, '>').replace(/%3C/gi, '<').replace(/%3D/gi, '=').replace(/%3A/gi, ':')
  const [, name = '', operator = '', value = ''] = /^(\w+)([<>]?=|[<>])(.*)$/.exec(plain) ?? []
  return simpleInput({ name, operator: operator as Filter['operator'], value }) !== undefined
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
      ...query.conditions.filter((part) => !isSimple(part)),
    ],
    pick: form.get('pick') || undefined,
  }),
  condition: (query, form) => ({ ...query, conditions: [...query.conditions, ...conditionIn(form)] }),
  view: (query, form) => ({
    ...query,
    columns: form.getAll('column'),
    language: form.get('language') || undefined,
    oldestFirst: form.get('order') === 'oldest',
  }),
}

const OPERATORS = ['=', '<', '>', '<=', '>=', '~'] as const

/** Reads the form for one condition. The operator `none` selects responses without an answer to the question. */
function conditionIn(form: URLSearchParams): string[] {
  const name = form.get('name')
  if (!name) return []
  const operator = OPERATORS.find((one) => one === form.get('operator')) ?? '='
  const value = form.get('operator') === 'none' ? '' : (form.get('value')?.trim() ?? '')
  return onMoments({ name, operator, value }).flatMap((condition) => splitPairs(printCondition(condition)))
}
