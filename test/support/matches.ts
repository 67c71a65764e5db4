import { BlockList, isIP } from 'node:net'
import {
  type Comparison,
  type Condition,
  DATETIME_PATTERNS,
  DECIMAL,
  type Filter,
} from '../../src/domain/response/filter/condition.ts'
import type { StoredResponse } from '../../src/domain/response/filter/where.ts'
import { answerTo } from '../../src/domain/structure/answered.ts'
import type { Answer, Answers } from '../../src/domain/structure/questionnaire.ts'

const COMPARE: Record<Comparison, (a: string | number, b: string | number) => boolean> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
}

/**
 * Returns whether a response passes every filter: an implementation in memory, with which tests compare the SQL of
 * src/domain/response/filter/where.ts.
 */
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
    case 'network':
      return isInNetwork(response.ip_address, test.network)
    case 'key':
      return response.key.toString('hex') === test.value
    case 'answer':
      return (
        some(test.keys, (value) => [value].flat().some((one) => test.values.includes(one as string))) !== test.negated
      )
    case 'equals':
      return some(test.keys, (value) =>
        [value]
          .flat()
          .some((one) => test.numbers.includes(one as number) || String(one).toLowerCase() === test.text.toLowerCase()),
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
        const isMoment = typeof value === 'string' && new RegExp(DATETIME_PATTERNS[test.format]).test(value)
        return isMoment && COMPARE[test.operator](value.slice(0, test.moment.length), test.moment)
      })
    case 'rank':
      return some([test.key], (value) => {
        const place = Array.isArray(value) ? value.indexOf(test.uid) : -1
        return place !== -1 && COMPARE[test.operator](place + 1, test.rank)
      })
    case 'any':
      return test.filters.some((filter) => passes(filter.test, response))
    case 'contains':
      return some(
        test.keys,
        (value) => typeof value === 'string' && value.toLowerCase().includes(test.text.toLowerCase()),
      )
    case 'identified':
      return test.collectors.includes(response.collector_id) ? passes(test.test, response) : test.elsewhere
  }
}

/** Compares a time with a span of time. */
function within({ operator, from, before }: Extract<Condition, { kind: 'time' }>, index: number): boolean {
  switch (operator) {
    case '=':
      return index >= from && index < before
    case '<':
      return index < from
    case '>':
      return index >= before
    case '<=':
      return index < before
    case '>=':
      return index >= from
  }
}

function isInNetwork(address: string, network: string): boolean {
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4')
  const [base = '', prefix] = network.split('/')
  const list = new BlockList()
  list.addSubnet(base, Number(prefix), family(base))
  return isIP(address) !== 0 && list.check(address, family(address))
}
