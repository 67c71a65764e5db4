import { describe, expect, test } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { firstPage, nextStep } from '../../../src/domain/structure/flow.ts'
import { parseAnswers } from '../../../src/domain/structure/parse-answers.ts'
import { scoreOf } from '../../../src/domain/structure/score.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { answersOnPath, validateAnswers } from '../../../src/domain/structure/validate-answers.ts'
import fc from '../../support/fast-check.ts'
import { anyStructure, validStructure } from '../../support/structures.ts'

const submission = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'a_0', 'b_1', 'a\\0', 'b\\1', 'c\\other', 'constructor', 'zz'),
  fc.oneof(
    fc.string(),
    fc.integer({ min: -1, max: 11 }),
    fc.boolean(),
    fc.constant('2024-01-01'),
    fc.array(fc.integer({ min: 0, max: 3 })),
    fc.constant('0,1'),
  ),
)

const runs = { numRuns: 300 }

describe('every accepted structure', () => {
  test('does not change when it is normalised a second time, and stays valid', () => {
    fc.assert(
      fc.property(validStructure, (json) => {
        const once = normaliseStructure(json)
        expect(checkStructure(once)).toEqual([])
        expect(normaliseStructure(once)).toEqual(once)
      }),
      runs,
    )
  })

  test('compiles to a model with unique keys and IDs', () => {
    fc.assert(
      fc.property(validStructure, (json) => {
        const q = compile(normaliseStructure(json))
        expect(q.byKey.size).toBe(q.fields.length)
        expect(q.byId.size).toBe(q.questions.length)
      }),
      runs,
    )
  })

  test('returns the same answers if parsed answers are parsed again', () => {
    fc.assert(
      fc.property(validStructure, submission, (json, raw) => {
        const q = compile(normaliseStructure(json))
        const once = parseAnswers(q, raw, 'lenient')
        const again = parseAnswers(q, once.answers, 'strict')
        expect(again).toEqual({ answers: once.answers, errors: [], cleared: [] })
      }),
      runs,
    )
  })

  test('has a path that ends; dropping hidden answers again changes nothing; and answers are validated and scored without an error', () => {
    fc.assert(
      fc.property(validStructure, submission, (json, raw) => {
        const q = compile(normaliseStructure(json))
        const { answers } = parseAnswers(q, raw, 'lenient')
        let page = firstPage(q, answers)
        for (let step = nextStep(q, page, answers); typeof step === 'object'; step = nextStep(q, page, answers)) {
          expect(step.page).toBeGreaterThan(page)
          page = step.page
        }
        const kept = answersOnPath(q, answers)
        expect(answersOnPath(q, kept)).toBe(kept)
        expect(Array.isArray(validateAnswers(q, answers))).toBe(true)
        expect(scoreOf(q, answers)).not.toBeNaN()
      }),
      runs,
    )
  })
})

test('checkStructure never throws and accepts only structures that compile', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue({ maxDepth: 6 }), anyStructure), (json) => {
      if (checkStructure(json).length === 0) compile(normaliseStructure(json))
    }),
    { numRuns: 1000 },
  )
})
