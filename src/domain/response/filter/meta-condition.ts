import type { ValueError } from '../../field-error.ts'
import { parseIsoDatetime } from '../../structure/datetime.ts'
import { type MetaNumberColumn, type MetaTimeColumn, metaFieldByKey } from '../../structure/meta-fields.ts'
import { type Comparison, type Condition, DECIMAL, invalidFilter, type Operator } from './condition.ts'

/** Returns whether a name is the name of a meta field. Meta fields take precedence over questions. */
export const isMetaName = (name: string): boolean => metaFieldByKey.has(name)

/** Parses a comparison with a meta field into a condition or an error. */
export function metaCondition(name: string, operator: Operator, value: string): Condition | ValueError {
  const field = metaFieldByKey.get(name)!
  if (operator === '~') return invalidFilter('cannot be searched with ~, which applies to text answers only')
  switch (field.type) {
    case 'state':
    case 'collector':
    case 'integer':
    case 'float':
      return numberCondition(field.column, field.type !== 'float', operator, value)
    case 'time':
      return timeCondition(field.column, operator, value)
    case 'text':
      if (operator !== '=') return invalidFilter('can be compared with = only')
      return { kind: 'text', column: field.column, value, negated: false }
    case 'key':
      if (operator !== '=') return invalidFilter('can be compared with = only')
      if (!/^[0-9a-f]{40}$/i.test(value)) return invalidFilter('must be 40 hexadecimal digits')
      return { kind: 'key', value: value.toLowerCase() }
  }
}

function numberCondition(
  column: MetaNumberColumn,
  isInteger: boolean,
  operator: Comparison,
  value: string,
): Condition | ValueError {
  if (value === '' && operator === '=') return { kind: 'number', column, operator, value: null }
  const number = new RegExp(DECIMAL).test(value) ? Number(value) : Number.NaN
  if (column === 'completed' && ![0, 1, 2].includes(number))
    return invalidFilter('must be 0 (incomplete), 1 (complete or quota reached) or 2 (terminated)')
  if (isInteger && !Number.isSafeInteger(number)) return invalidFilter('must be a whole number')
  if (Number.isNaN(number)) return invalidFilter('must be a number')
  return { kind: 'number', column, operator, value: number }
}

/** Returns the precision of a time in milliseconds: a day, a minute, a second or a millisecond. */
function precisionMs(text: string): number {
  const [, minute, second, fraction] = /^.{10}[T ](\d\d:\d\d)(:\d\d)?([.,]\d+)?/i.exec(text) ?? []
  if (!minute) return 86_400_000
  if (!second) return 60_000
  return fraction ? 1 : 1_000
}

const MAX_TIME_CHARACTERS = 64

/** Returns a condition on the period that a text means: a day in UTC, a minute, a second or a millisecond. */
function timeCondition(column: MetaTimeColumn, operator: Comparison, value: string): Condition | ValueError {
  // Form encoding turns the + of an offset into a space.
  const text = value
    .slice(0, MAX_TIME_CHARACTERS)
    .trim()
    .replace(/(:\d\d.*) (?=\d\d:?\d\d$)/, '$1+')
  const datetime = value.length <= MAX_TIME_CHARACTERS ? parseIsoDatetime(text) : undefined
  if (!datetime || datetime.format === 'time') {
    return invalidFilter('must be a date such as 2024-01-31, or a date and time such as 2024-01-31T09:30:00')
  }
  const from = Math.floor(datetime.instant)
  return { kind: 'time', column, operator, from, before: from + precisionMs(text) }
}
