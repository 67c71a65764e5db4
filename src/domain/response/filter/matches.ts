import type { Selectable } from 'kysely'
import { answerTo } from '../../structure/answered.ts'
import type { Answer, Answers } from '../../structure/questionnaire.ts'
import { fromStored } from '../../structure/stored.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { type Comparison, type Condition, DECIMAL, type Filter, MOMENT } from './condition.ts'

/** A response as the database keeps it; times are texts that `Date` reads. */
export type StoredResponse = Selectable<Tables['response']>

const COMPARE: Record<Comparison, (a: string | number, b: string | number) => boolean> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
}

/** Responses whose answers name choices and rows by their positions now; the same objects where nothing was ever moved. */
export const readRows = ({ questionnaire: q }: SurveySnapshot, rows: StoredResponse[]): StoredResponse[] =>
  q.moved ? rows.map((row) => ({ ...row, answers: { ...fromStored(q, row.answers as Answers) } })) : rows

/** Whether a response passes every filter: in memory what src/domain/response/filter/where.ts asks of the database. */
export const matches = (filters: readonly Filter[], response: StoredResponse): boolean =>
  filters.every(({ test }) => passes(test, response))

function passes(test: Condition, response: StoredResponse): boolean {
  const some = (keys: readonly string[], holds: (value: Answer) => boolean) =>
    keys.some((key) => {
      const value = answerTo(response.answers as Answers, key)
      return value !== undefined && holds(value)
    })
  switch (test.kind) {
    case 'number': {
      const value = response[test.column]
      if (value === null || test.value === null) return value === test.value
      return COMPARE[test.operator](value, test.value)
    }
    case 'text':
      return ((response[test.column] ?? '') === test.value) !== test.negated
    case 'time':
      return within(test, Date.parse(response[test.column]))
    case 'key':
      return response.key.toString('hex') === test.value
    case 'answer':
      return (
        some(test.keys, (value) => [value].flat().some((one) => test.values.includes(one as string))) !== test.negated
      )
    case 'unanswered':
      return !some(test.keys, (value) => value !== '' && !(Array.isArray(value) && value.length === 0))
    case 'order':
      return some(test.keys, (value) => {
        const isNumber = typeof value === 'number' || (typeof value === 'string' && new RegExp(DECIMAL).test(value))
        return isNumber && COMPARE[test.operator](Number(value), Number(test.limit))
      })
    case 'moment':
      return some(test.keys, (value) => {
        const isMoment = typeof value === 'string' && new RegExp(MOMENT[test.format]).test(value)
        return isMoment && COMPARE[test.operator](value.slice(0, test.moment.length), test.moment)
      })
    case 'contains':
      return some(
        test.keys,
        (value) => typeof value === 'string' && value.toLowerCase().includes(test.text.toLowerCase()),
      )
    case 'identified':
      return test.collectors.includes(response.collector_id) ? passes(test.test, response) : test.elsewhere
  }
}

/** Where a moment lies to a span of time. */
function within({ operator, from, before }: Extract<Condition, { kind: 'time' }>, at: number): boolean {
  switch (operator) {
    case '=':
      return at >= from && at < before
    case '<':
      return at < from
    case '>':
      return at >= before
    case '<=':
      return at < before
    case '>=':
      return at >= from
  }
}
