import { describe, expect, test } from '@jest/globals'
import { firstPage, nextStep, pagePath, previousPage, progress } from '../../../src/domain/structure/flow.ts'
import type { Answers } from '../../../src/domain/structure/questionnaire.ts'
import { answersOnPath, shownQuestions } from '../../../src/domain/structure/validate-answers.ts'
import fc from '../../support/fast-check.ts'
import { compiled, single, text } from './sample.ts'

const is = (question: string, value: unknown) => ({ all: [{ question, op: 'eq', value }] })

/**
 * Page 1 contains question a. Page 2 contains b, and is shown only if a is answered with Green. Page 3 contains c, and
 * has skips. Page 4 contains d, which is shown only if c is answered. Page 5 contains e.
 */
const q = compiled({
  title: 'T',
  form: [
    { children: [single('a')], skip: [{ when: is('a', 'Blue'), to: 'terminate' }] },
    { children: [text('b'), text('b2', {}, { condition: is('b', 'more') })], condition: is('a', 'Green') },
    {
      children: [text('c')],
      skip: [
        { when: is('c', 'end'), to: 'complete' },
        { when: is('c', 'far'), to: 5 },
        { when: is('c', 'end'), to: 'terminate' },
      ],
    },
    { children: [text('d', {}, { condition: { all: [{ question: 'c', op: 'answered' }] } })] },
    { children: [text('e')] },
  ],
})

describe('nextStep [spec 6.9]', () => {
  test('returns the next page with a visible question', () => {
    expect(nextStep(q, 1, { a: 1 })).toEqual({ page: 2 })
    expect(nextStep(q, 1, { a: 0 })).toEqual({ page: 3 })
    expect(nextStep(q, 3, {})).toEqual({ page: 5 })
    expect(nextStep(q, 3, { c: 'x' })).toEqual({ page: 4 })
  })
  test('passes a page with hidden fields and calculations only, and follows its skips', () => {
    const hidden = (skip: unknown[] = []) => ({
      children: [
        { idname: 'hidden-field', id: 'h', title: 'H' },
        { idname: 'calculation', id: 'c', title: 'C', children: [{ expression: '1 + 1' }] },
      ],
      skip,
    })
    const pages = (...form: unknown[]) => compiled({ title: 'T', form })
    const silent = pages(hidden(), { children: [text('a')] }, { children: [text('b')] })
    expect([firstPage(silent, {}), pagePath(silent, {}), previousPage(silent, 2, {})]).toEqual([2, [2, 3], undefined])
    expect(answersOnPath(silent, { h: 'x' })).toEqual({ h: 'x', c: 2 })
    const skipping = pages(
      hidden([{ when: is('h', 'x'), to: 3 }]),
      { children: [text('a')] },
      { children: [text('b')] },
    )
    expect([pagePath(skipping, { h: 'x' }), pagePath(skipping, { h: 'y' })]).toEqual([[3], [2, 3]])
    expect(pagePath(pages({ children: [text('a')] }, hidden()), {})).toEqual([1])
  })
  test('follows the first skip whose condition holds', () => {
    expect(nextStep(q, 1, { a: 2 })).toBe('terminate')
    expect(nextStep(q, 3, { c: 'end' })).toBe('complete')
    expect(nextStep(q, 3, { c: 'far' })).toEqual({ page: 5 })
  })
  test('returns complete for the last page, and for page numbers after the last page', () => {
    expect(nextStep(q, 5, {})).toBe('complete')
    expect(nextStep(q, 99, {})).toBe('complete')
  })
  test('continues from a hidden target page to the next page with a visible question', () => {
    const form = [
      { children: [text('a')], skip: [{ to: 2 }] },
      { children: [text('b')], condition: is('a', 'x') },
      { children: [text('c')] },
    ]
    expect(nextStep(compiled({ title: 'T', form }), 1, {})).toEqual({ page: 3 })
  })
})

describe('pagePath and previousPage', () => {
  test('return the pages that a respondent passes from the first page on', () => {
    expect(pagePath(q, { a: 0 })).toEqual([1, 3, 5])
    expect(pagePath(q, { a: 1, c: 'x' })).toEqual([1, 2, 3, 4, 5])
    expect(previousPage(q, 3, { a: 0 })).toBe(1)
    expect(previousPage(q, 3, { a: 1 })).toBe(2)
    expect(previousPage(q, 5, { a: 0, c: 'far' })).toBe(3)
    expect(previousPage(q, 1, {})).toBeUndefined()
  })
})

describe('firstPage and progress', () => {
  test('firstPage returns the first page with a visible question', () => {
    expect(firstPage(q, {})).toBe(1)
    const empty = compiled({ title: 'T', form: [{ children: [] }, { children: [text('a')] }] })
    expect(firstPage(empty, {})).toBe(2)
    expect(firstPage(compiled({ title: 'T' }), {})).toBe(1)
  })
  test('progress returns a number between 0 and 1', () => {
    expect([1, 2, 5].map((page) => progress(q, page))).toEqual([0, 0.2, 0.8])
    expect(progress(q, 99)).toBe(1)
    expect(progress(compiled({ title: 'T' }), 1)).toBe(0)
  })
})

describe('shownQuestions and answersOnPath', () => {
  const ids = (page: number, answers: Answers) => shownQuestions(q, page, answers).map(({ id }) => id)
  test('treat a question as hidden if its own condition or the condition of its page does not hold', () => {
    expect(ids(2, { a: 1, b: 'more' })).toEqual(['b', 'b2'])
    expect(ids(2, { a: 1 })).toEqual(['b'])
    expect(ids(2, { a: 0, b: 'more' })).toEqual([])
  })
  test('answersOnPath removes the answers to hidden questions, and to questions that are hidden as a result', () => {
    const answers = { a: 0, b: 'more', b2: 'x', c: 'y', d: 'z', gone: 'kept' }
    expect({ ...answersOnPath(q, answers) }).toEqual({ a: 0, c: 'y', d: 'z', gone: 'kept' })
    const all = { a: 1, b: 'more', b2: 'x' }
    expect(answersOnPath(q, all)).toBe(all)
  })
  test('answersOnPath removes the answers of pages that a skip leaves out, and what follows from them', () => {
    expect({ ...answersOnPath(q, { a: 0, c: 'far', d: 'z', e: 'y' }) }).toEqual({ a: 0, c: 'far', e: 'y' })
    expect({ ...answersOnPath(q, { a: 2, c: 'x', e: 'y' }) }).toEqual({ a: 2 })
    expect({ ...answersOnPath(q, { a: 0, c: 'end', e: 'y' }) }).toEqual({ a: 0, c: 'end' })
  })
  test('shownQuestions shows a page that a skip leaves out, for the preview', () => {
    expect(ids(4, { a: 0, c: 'far' })).toEqual(['d'])
    expect(ids(5, { a: 2 })).toEqual(['e'])
  })
})

describe('the order of pages in random blocks', () => {
  const page = (id: string, more: object = {}) => ({ children: [text(id)], ...more })
  const answered = (question: string) => ({ all: [{ question, op: 'answered' }] })

  test('is a permutation of each block, whatever the answers are, and the way back is the way there', () => {
    const block = fc.constantFrom(undefined, 'a', 'b')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(block, fc.boolean()), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.string({ maxLength: 5 }),
        (pages, isGiven, seed) => {
          const survey = compiled({
            title: 'T',
            form: [
              page('start'),
              ...pages.map(([randomBlock, isConditional], index) =>
                page(`p${index}`, { randomBlock, ...(isConditional && { condition: answered('start') }) }),
              ),
            ],
          })
          const answers: Answers = isGiven ? { start: 'x' } : {}
          const fixed = pagePath(survey, answers)
          const path = pagePath(survey, answers, seed)
          expect(path.toSorted((a, b) => a - b)).toEqual(fixed)
          for (const [index, number] of path.entries()) {
            expect(survey.pages[number - 1]!.randomBlock).toBe(survey.pages[fixed[index]! - 1]!.randomBlock)
            expect(previousPage(survey, number, answers, seed)).toBe(path[index - 1])
          }
          expect(pagePath(survey, answers, seed)).toEqual(path)
        },
      ),
    )
  })

  test('is the same for all pages of a block, and neighbouring blocks stay apart', () => {
    const survey = compiled({
      title: 'T',
      form: ['a', 'a', 'b', 'b'].map((randomBlock, index) => page(`p${index}`, { randomBlock })),
    })
    const paths = new Set(Array.from({ length: 40 }, (_, seed) => pagePath(survey, {}, String(seed)).join()))
    expect([...paths].toSorted()).toEqual(['1,2,3,4', '1,2,4,3', '2,1,3,4', '2,1,4,3'])
  })
})
