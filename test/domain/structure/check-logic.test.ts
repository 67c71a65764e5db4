import { describe, expect, test } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { grid, single, survey, text } from './sample.ts'

const places = (structure: unknown) => checkStructure(structure).map(({ field }) => field)

describe('conditions', () => {
  const shown = (condition: unknown) => survey([[single('a'), text('b', {}, { condition }), text('c')]])
  const place = '/form/0/children/1/condition'
  test.each([
    ['nothing', { all: [{ question: 'z', op: 'answered' }] }, `${place}/all/0/question`],
    ['a later question', { any: [{ question: 'c', op: 'answered' }] }, `${place}/any/0/question`],
    ['itself', { any: [{ question: 'b', op: 'answered' }] }, `${place}/any/0/question`],
    ['a wrong op', { all: [{ question: 'a', op: 'like', value: 1 }] }, `${place}/all/0/op`],
    ['no value', { all: [{ question: 'a', op: 'eq' }] }, `${place}/all/0/value`],
    ['a value that is an object', { all: [{ question: 'a', op: 'eq', value: {} }] }, `${place}/all/0/value`],
    ['rules that are no list', { all: {} }, `${place}/all`],
    ['neither all nor any', { none: [] }, place],
    ['both all and any', { all: [], any: [] }, place],
    ['text', 'a = 1', place],
    ['a nested fault', { all: [{ any: [{ question: 'z', op: 'answered' }] }] }, `${place}/all/0/any/0/question`],
  ])('refuses %s', (_, condition, at) => expect(places(shown(condition))).toEqual([at]))

  test('accepts earlier questions by id, identifier or key, nested, or one rule alone', () => {
    const rules = [{ question: 'g_1', op: 'eq', value: 'Good' }, { any: [{ question: 'hue', op: 'ne', value: 1 }] }]
    const questions = [grid('g'), single('a', {}, { identifier: 'hue' }), text('b', {}, { condition: { all: rules } })]
    expect(checkStructure(survey([questions]))).toEqual([])
    expect(checkStructure(shown({ question: 'a', op: 'unanswered' }))).toEqual([])
  })
  test('refuses a question that takes no answer', () => {
    const separator = { idname: 'section-separator', id: 's', title: 'S', children: [] }
    const asks = text('b', {}, { condition: { all: [{ question: 's', op: 'answered' }] } })
    expect(places(survey([[separator, asks]]))).toEqual(['/form/0/children/1/condition/all/0/question'])
  })
  test('a page may only ask about earlier pages', () => {
    const page = (question: string) => ({ children: [text('b')], condition: { all: [{ question, op: 'answered' }] } })
    expect(places({ title: 'T', form: [{ children: [text('a')] }, page('a')] })).toEqual([])
    expect(places({ title: 'T', form: [{ children: [text('a')] }, page('b')] })).toEqual([
      '/form/1/condition/all/0/question',
    ])
  })
})

describe('skips', () => {
  const leaving = (skip: unknown) => ({
    title: 'T',
    form: [{ children: [text('a')] }, { children: [text('b')], skip }, { children: [text('c')] }],
  })
  test.each([
    ['no list', {}, '/form/1/skip'],
    ['no object', [3], '/form/1/skip/0'],
    ['page 0', [{ to: 0 }], '/form/1/skip/0/to'],
    ['a page that is not there', [{ to: 4 }], '/form/1/skip/0/to'],
    ['half a page', [{ to: 2.5 }], '/form/1/skip/0/to'],
    ['another word', [{ to: 'end' }], '/form/1/skip/0/to'],
    ['nothing', [{}], '/form/1/skip/0/to'],
    ['its own page', [{ to: 2 }], '/form/1/skip/0/to'],
    ['an earlier page', [{ to: 1 }], '/form/1/skip/0/to'],
    [
      'a later question',
      [{ when: { all: [{ question: 'c', op: 'answered' }] }, to: 3 }],
      '/form/1/skip/0/when/all/0/question',
    ],
  ])('refuses %s', (_, skip, place) => expect(places(leaving(skip))).toEqual([place]))
  test('accepts pages ahead and both ends', () => {
    const when = { all: [{ question: 'b', op: 'answered' }] }
    expect(checkStructure(leaving([{ when, to: 3 }, { to: 'complete' }, { to: 'terminate' }]))).toEqual([])
  })
})

describe('quotas', () => {
  const good = { name: 'N', limit: 1, action: 'close' }
  test.each([
    ['a limit of 0', { ...good, limit: 0 }, '/quotas/0/limit'],
    ['half a limit', { ...good, limit: 1.5 }, '/quotas/0/limit'],
    ['no limit', { name: 'N', action: 'close' }, '/quotas/0/limit'],
    ['another action', { ...good, action: 'explode' }, '/quotas/0/action'],
    ['no name', { ...good, name: '' }, '/quotas/0/name'],
    [
      'an unknown question',
      { ...good, when: { all: [{ question: 'z', op: 'answered' }] } },
      '/quotas/0/when/all/0/question',
    ],
    ['no object', 'N', '/quotas/0'],
  ])('refuses %s', (_, quota, place) => expect(places({ title: 'T', quotas: [quota] })).toEqual([place]))
  test('accepts one over any question, and names them once', () => {
    const when = { all: [{ question: 'a', op: 'eq', value: 1 }] }
    expect(checkStructure(survey([[single('a')]], { quotas: [{ ...good, when }] }))).toEqual([])
    expect(places({ title: 'T', quotas: [good, good] })).toEqual(['/quotas/1/name'])
  })
})
