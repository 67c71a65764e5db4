import { describe, expect, test } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { grid, single, survey, text } from './sample.ts'

const pointersOf = (structure: unknown) => checkStructure(structure).map(({ field }) => field)

describe('checkStructure: conditions [spec 6.8]', () => {
  const shown = (condition: unknown) => survey([[single('a'), text('b', {}, { condition }), text('c')]])
  const pointer = '/form/0/children/1/condition'
  test.each([
    ['an unknown question', { all: [{ question: 'z', op: 'answered' }] }, `${pointer}/all/0/question`],
    ['a later question', { any: [{ question: 'c', op: 'answered' }] }, `${pointer}/any/0/question`],
    ['the question itself', { any: [{ question: 'b', op: 'answered' }] }, `${pointer}/any/0/question`],
    ['an unknown operator', { all: [{ question: 'a', op: 'like', value: 1 }] }, `${pointer}/all/0/op`],
    ['a missing value', { all: [{ question: 'a', op: 'eq' }] }, `${pointer}/all/0/value`],
    ['a value that is an object', { all: [{ question: 'a', op: 'eq', value: {} }] }, `${pointer}/all/0/value`],
    ['rules that are not a list', { all: {} }, `${pointer}/all`],
    ['a condition with neither all nor any', { none: [] }, pointer],
    ['a condition with both all and any', { all: [], any: [] }, pointer],
    ['a text', 'a = 1', pointer],
    [
      'an error in a nested condition',
      { all: [{ any: [{ question: 'z', op: 'answered' }] }] },
      `${pointer}/all/0/any/0/question`,
    ],
  ])('rejects %s', (_, condition, expected) => expect(pointersOf(shown(condition))).toEqual([expected]))

  test('accepts nested conditions, a single rule, and references to earlier questions by ID, identifier or key', () => {
    const rules = [{ question: 'g_1', op: 'eq', value: 'Good' }, { any: [{ question: 'hue', op: 'ne', value: 1 }] }]
    const questions = [grid('g'), single('a', {}, { identifier: 'hue' }), text('b', {}, { condition: { all: rules } })]
    expect(checkStructure(survey([questions]))).toEqual([])
    expect(checkStructure(shown({ question: 'a', op: 'unanswered' }))).toEqual([])
  })
  test('rejects a condition about a question that cannot be answered', () => {
    const separator = { idname: 'section-separator', id: 's', title: 'S', children: [] }
    const asks = text('b', {}, { condition: { all: [{ question: 's', op: 'answered' }] } })
    expect(pointersOf(survey([[separator, asks]]))).toEqual(['/form/0/children/1/condition/all/0/question'])
  })
  test('rejects a page condition about a question that is not on an earlier page', () => {
    const page = (question: string) => ({ children: [text('b')], condition: { all: [{ question, op: 'answered' }] } })
    expect(pointersOf({ title: 'T', form: [{ children: [text('a')] }, page('a')] })).toEqual([])
    expect(pointersOf({ title: 'T', form: [{ children: [text('a')] }, page('b')] })).toEqual([
      '/form/1/condition/all/0/question',
    ])
  })
})

describe('checkStructure: skips [spec 6.9]', () => {
  const leaving = (skip: unknown) => ({
    title: 'T',
    form: [{ children: [text('a')] }, { children: [text('b')], skip }, { children: [text('c')] }],
  })
  test.each([
    ['skips that are not a list', {}, '/form/1/skip'],
    ['a skip that is not an object', [3], '/form/1/skip/0'],
    ['page 0', [{ to: 0 }], '/form/1/skip/0/to'],
    ['a page that does not exist', [{ to: 4 }], '/form/1/skip/0/to'],
    ['a fractional page number', [{ to: 2.5 }], '/form/1/skip/0/to'],
    ['an unknown target', [{ to: 'end' }], '/form/1/skip/0/to'],
    ['a missing target', [{}], '/form/1/skip/0/to'],
    ['its own page', [{ to: 2 }], '/form/1/skip/0/to'],
    ['an earlier page', [{ to: 1 }], '/form/1/skip/0/to'],
    [
      'a later question',
      [{ when: { all: [{ question: 'c', op: 'answered' }] }, to: 3 }],
      '/form/1/skip/0/when/all/0/question',
    ],
  ])('rejects %s', (_, skip, pointer) => expect(pointersOf(leaving(skip))).toEqual([pointer]))
  test('accepts a later page, “complete” and “terminate” as the target of a skip', () => {
    const when = { all: [{ question: 'b', op: 'answered' }] }
    expect(checkStructure(leaving([{ when, to: 3 }, { to: 'complete' }, { to: 'terminate' }]))).toEqual([])
  })
})

describe('checkStructure: quotas [spec 6.10]', () => {
  const good = { name: 'N', limit: 1, action: 'close' }
  test.each([
    ['a limit of 0', { ...good, limit: 0 }, '/quotas/0/limit'],
    ['a fractional limit', { ...good, limit: 1.5 }, '/quotas/0/limit'],
    ['a quota without a limit', { name: 'N', action: 'close' }, '/quotas/0/limit'],
    ['an unknown action', { ...good, action: 'explode' }, '/quotas/0/action'],
    ['an empty name', { ...good, name: '' }, '/quotas/0/name'],
    [
      'an unknown question',
      { ...good, when: { all: [{ question: 'z', op: 'answered' }] } },
      '/quotas/0/when/all/0/question',
    ],
    ['a quota that is not an object', 'N', '/quotas/0'],
  ])('rejects %s', (_, quota, pointer) => expect(pointersOf({ title: 'T', quotas: [quota] })).toEqual([pointer]))
  test('accepts a quota about any question, and rejects two quotas with the same name', () => {
    const when = { all: [{ question: 'a', op: 'eq', value: 1 }] }
    expect(checkStructure(survey([[single('a')]], { quotas: [{ ...good, when }] }))).toEqual([])
    expect(pointersOf({ title: 'T', quotas: [good, good] })).toEqual(['/quotas/1/name'])
  })
})
