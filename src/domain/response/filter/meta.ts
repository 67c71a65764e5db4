import { momentOf } from '../../structure/datetime.ts'
import {
  type Comparison,
  type Condition,
  DECIMAL,
  type NumberColumn,
  type Operator,
  type TextColumn,
  type TimeColumn,
} from './condition.ts'

type Meta =
  | { type: 'number'; column: NumberColumn; whole: boolean }
  | { type: 'text'; column: TextColumn }
  | { type: 'time'; column: TimeColumn }
  | { type: 'key' }

const text = (column: TextColumn): Meta => ({ type: 'text', column })
const whole = (column: NumberColumn): Meta => ({ type: 'number', column, whole: true })

/** What a response carries beside its answers (specification, "Response (v3 representation)"). */
const META: ReadonlyMap<string, Meta> = new Map<string, Meta>([
  ['_id', whole('id')],
  ['_key', { type: 'key' }],
  ['_completed', whole('completed')],
  ['_collector', whole('collector_id')],
  ['_locale', whole('locale')],
  ['_saves', whole('saves')],
  ['_completion_time', whole('completion_time')],
  ['_weighted_score', { type: 'number', column: 'weighted_score', whole: false }],
  ['_created_at', { type: 'time', column: 'created_at' }],
  ['_updated_at', { type: 'time', column: 'updated_at' }],
  ['_username', text('username')],
  ['_ip_address', text('ip_address')],
  ['_language', text('language')],
  ['_get_variables', text('get_variables')],
  ['_referrer', text('referrer')],
  ['_pagepath', text('pagepath')],
  ['_invite_code', text('invite_code')],
  ['_invite_email', text('invite_email')],
  ['_invite_name', text('invite_name')],
])

/** Whether a name is one that every response has, whatever its survey asks. Such a name comes before a question's. */
export const isMeta = (name: string): boolean => META.has(name)

/** The test of a meta field, or why there is none. */
export function metaTest(name: string, operator: Operator, value: string): Condition | string {
  const meta = META.get(name)!
  if (operator === '~') return 'cannot be searched with ~: only text answers can'
  switch (meta.type) {
    case 'number':
      return numberTest(meta.column, meta.whole, operator, value)
    case 'time':
      return timeTest(meta.column, operator, value)
    case 'text':
      if (operator !== '=') return 'can only be compared with ='
      return { kind: 'text', column: meta.column, value, negated: false }
    default:
      if (operator !== '=') return 'can only be compared with ='
      if (!/^[0-9a-f]{40}$/i.test(value)) return 'must be 40 hexadecimal digits'
      return { kind: 'key', value: value.toLowerCase() }
  }
}

function numberTest(column: NumberColumn, isWhole: boolean, operator: Comparison, value: string): Condition | string {
  if (value === '' && operator === '=') return { kind: 'number', column, operator, value: null }
  const number = new RegExp(DECIMAL).test(value) ? Number(value) : Number.NaN
  if (column === 'completed' && ![0, 1, 2].includes(number))
    return 'must be 0 (incomplete), 1 (complete or quota reached) or 2 (terminated)'
  if (isWhole && !Number.isSafeInteger(number)) return 'must be a whole number'
  if (Number.isNaN(number)) return 'must be a number'
  return { kind: 'number', column, operator, value: number }
}

/** How long the moment lasts that a text names, in milliseconds, by how much of it is written. */
function lengthOf(written: string): number {
  const [, minute, second, fraction] = /^.{10}[T ](\d\d:\d\d)(:\d\d)?([.,]\d+)?/i.exec(written) ?? []
  if (!minute) return 86_400_000
  if (!second) return 60_000
  return fraction ? 1 : 1_000
}

/** No date is written with more characters. */
const MAX_TIME_CHARACTERS = 64

/** A date is the whole day in UTC, a time the whole minute or second: as much as is written. */
function timeTest(column: TimeColumn, operator: Comparison, value: string): Condition | string {
  // The + of an offset may have come as the space that a form makes of it.
  const written = value
    .slice(0, MAX_TIME_CHARACTERS)
    .trim()
    .replace(/(:\d\d.*) (?=\d\d:?\d\d$)/, '$1+')
  const moment = value.length <= MAX_TIME_CHARACTERS ? momentOf(written) : undefined
  if (!moment || moment.format === 'time') {
    return 'must be a date such as 2024-01-31, or a date and time such as 2024-01-31T09:30:00'
  }
  const from = Math.floor(moment.instant)
  return { kind: 'time', column, operator, from, before: from + lengthOf(written) }
}
