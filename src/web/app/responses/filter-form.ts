import { partsOf, printCondition } from '../../../domain/response/filter/filter.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { fromStart, type ListQuery, readAsked, searchOf } from './list-query.ts'

/** Where a day range and a status stand among the conditions: the form on the page sets these anew. */
const SIMPLE = [
  { field: 'completed', name: '_completed', operator: '=' },
  { field: 'from', name: '_created_at', operator: '>=' },
  { field: 'to', name: '_created_at', operator: '<=' },
  { field: 'collector', name: '_collector', operator: '=' },
] as const

export type SimpleField = (typeof SIMPLE)[number]['field']

/** Which field of the simple form a condition stands in, if in any. */
export const simpleField = (name: string, operator: string): SimpleField | undefined =>
  SIMPLE.find((one) => one.name === name && one.operator === operator)?.field

/** A condition of the simple form as written, to find it among the others. */
const isSimple = (part: string): boolean =>
  SIMPLE.some(({ name, operator }) => {
    const plain = part.replace(/%3E/gi, '>').replace(/%3C/gi, '<').replace(/%3D/gi, '=')
    return plain.startsWith(`${name}${operator}`)
  })

/**
 * Turns what a form of the page says into the address that means it, so that every list can be passed on as a link. It
 * changes nothing; what makes no sense is told by the page that the address leads to.
 */
export async function composeList({ query, root }: SurveyRequest): Promise<PageResult> {
  const asked = fromStart(readAsked(query.get('base') ?? ''))
  const next = changes[query.get('part') ?? '']?.(asked, query) ?? asked
  return { redirect: `${root}responses/${searchOf(next)}` }
}

const changes: Readonly<Record<string, (asked: ListQuery, query: URLSearchParams) => ListQuery>> = {
  simple: (asked, query) => ({
    ...asked,
    conditions: [
      ...SIMPLE.flatMap(({ field, name, operator }) => {
        const value = query.get(field)?.trim()
        return value ? [printCondition({ name, operator, value })] : []
      }),
      ...asked.conditions.filter((part) => !isSimple(part)),
    ],
    pick: query.get('pick') || undefined,
  }),
  condition: (asked, query) => ({ ...asked, conditions: [...asked.conditions, ...conditionIn(query)] }),
  view: (asked, query) => ({
    ...asked,
    columns: query.getAll('column'),
    language: query.get('language') || undefined,
    oldestFirst: query.get('order') === 'oldest',
  }),
}

const OPERATORS = ['=', '<', '>', '<=', '>=', '~'] as const

/** The condition that was put together; `none` asks for responses without an answer. */
function conditionIn(query: URLSearchParams): string[] {
  const name = query.get('name')
  if (!name) return []
  const operator = OPERATORS.find((one) => one === query.get('operator')) ?? '='
  const isNone = query.get('operator') === 'none'
  return partsOf(printCondition({ name, operator, value: isNone ? '' : (query.get('value')?.trim() ?? '') }))
}
