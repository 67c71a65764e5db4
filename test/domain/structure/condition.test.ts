import { describe, expect, test } from '@jest/globals'
import { holds } from '../../../src/domain/structure/condition.ts'
import type { Answers, RuleOperator } from '../../../src/domain/structure/questionnaire.ts'
import { everything } from './sample.ts'

const q = everything()
const answers: Answers = {
  name: 'Ada Lovelace',
  colour: 1,
  drinks: [0, 2],
  size: 2,
  again: true,
  when: '2024-05-06T10:00',
  day: '2024-05-06',
  hour: '09:30',
  source: '12',
  order: [2, 0],
  rate_0: 0,
  rate_1: 2,
  nps: 9,
}
const rule = (question: string, op: RuleOperator, value?: unknown) => holds({ question, op, value }, q, answers)

describe('holds: eq and ne [spec 6.8]', () => {
  test.each([
    ['colour', 1],
    ['colour', '1'],
    ['colour', 'Green'],
    ['hue', 'Green'],
    ['drinks', [2, 'Tea']],
    ['order', [2, 0]],
    ['again', 'yes'],
    ['again', true],
    ['name', 'Ada Lovelace'],
    ['name', 'ADA lovelace'],
    ['source', 12],
    ['nps', '9'],
    ['rate_1', 'Good'],
    ['rate', 'Bad'],
    ['day', '2024-05-06'],
  ])('treats the answer to %s as equal to %j', (question, value) => {
    expect(rule(question, 'eq', value)).toBe(true)
    expect(rule(question, 'ne', value)).toBe(false)
  })
  test.each([
    ['colour', 0],
    ['colour', 'Mauve'],
    ['drinks', 0],
    ['drinks', [0, 0]],
    ['order', [0, 2]],
    ['again', 'no'],
    ['name', 'ada'],
    ['source', 13],
    ['source', '12.0'],
    ['source', '012'],
    ['rate', 'Fair'],
    ['notes_0', 'x'],
  ])('treats the answer to %s as different from %j', (question, value) => {
    expect(rule(question, 'eq', value)).toBe(false)
    expect(rule(question, 'ne', value)).toBe(true)
  })
})

describe('holds: contains and not_contains [spec 6.8]', () => {
  test.each([
    ['drinks', 0, true],
    ['drinks', 1, false],
    ['drinks', 'Tea', true],
    ['name', 'love', true],
    ['name', 'x', false],
    ['colour', 1, true],
  ])('reports for %s and %j that the answer contains the value, or does not', (question, value, expected) => {
    expect(rule(question, 'contains', value)).toBe(expected)
    expect(rule(question, 'not_contains', value)).toBe(!expected)
  })
  test('not_contains holds for a question without an answer', () => {
    const unanswered = (op: RuleOperator) => holds({ question: 'drinks', op, value: 0 }, q, {})
    expect([unanswered('contains'), unanswered('not_contains')]).toEqual([false, true])
  })
})

describe('holds: lt and gt [spec 6.8]', () => {
  test.each([
    ['nps', 10],
    ['size', 3],
    ['colour', 'Other'],
    ['source', 100],
    ['day', '2024-05-07'],
    ['when', '2024-05-06T10:30Z'],
    ['hour', '10:00'],
    ['rate', 1],
  ])('treats the answer to %s as less than %j', (question, value) => {
    expect(rule(question, 'lt', value)).toBe(true)
  })
  test('evaluates gt as the reverse of lt, and evaluates both to false for values without an order', () => {
    expect(rule('nps', 'gt', 8)).toBe(true)
    expect(rule('nps', 'gt', 9)).toBe(false)
    for (const op of ['lt', 'gt'] as const) {
      expect(rule('name', op, 5)).toBe(false)
      expect(rule('again', op, 0)).toBe(false)
      expect(rule('drinks', op, 1)).toBe(false)
      expect(rule('level_0', op, 1)).toBe(false)
    }
  })
})

describe('holds: contains [spec 6.8]', () => {
  test('finds choices in a list and parts of a text', () => {
    expect(rule('drinks', 'contains', 2)).toBe(true)
    expect(rule('drinks', 'contains', 'Water')).toBe(true)
    expect(rule('drinks', 'contains', 1)).toBe(false)
    expect(rule('drinks', 'contains', 'Milk')).toBe(false)
    expect(rule('order', 'contains', 'One')).toBe(true)
    expect(rule('name', 'contains', 'Love')).toBe(true)
    expect(rule('name', 'contains', 'lOVE')).toBe(true)
    expect(rule('name', 'contains', 'Hate')).toBe(false)
  })
})

describe('holds: answered [spec 6.8]', () => {
  test('treats blank text and empty lists as unanswered', () => {
    expect(rule('name', 'answered')).toBe(true)
    expect(rule('rate', 'answered')).toBe(true)
    expect(rule('level', 'unanswered')).toBe(true)
    expect(rule('nothing', 'unanswered')).toBe(true)
    expect(holds({ question: 'name', op: 'answered' }, q, { name: '  ' })).toBe(false)
    expect(holds({ question: 'drinks', op: 'answered' }, q, { drinks: [] })).toBe(false)
    expect(holds({ question: 'again', op: 'answered' }, q, { again: false })).toBe(true)
    expect(holds({ question: 'colour', op: 'answered' }, q, { colour: 0 })).toBe(true)
  })
})

describe('holds: all and any [spec 6.8]', () => {
  const yes = { question: 'name', op: 'answered' } as const
  const no = { question: 'name', op: 'unanswered' } as const
  test.each([
    [{ all: [] }, true],
    [{ any: [] }, false],
    [{ all: [yes, no] }, false],
    [{ any: [yes, no] }, true],
    [{ all: [yes, { any: [no, { all: [yes] }] }] }, true],
  ])('evaluates %j to %j', (condition, expected) => expect(holds(condition, q, answers)).toBe(expected))
})
