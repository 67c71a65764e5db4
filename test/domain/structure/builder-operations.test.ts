import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../src/domain/problem.ts'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { applyOperation } from '../../../src/domain/structure/edit/apply-operation.ts'
import type { Operation } from '../../../src/domain/structure/edit/operation.ts'
import { numberStructure } from '../../../src/domain/structure/numbering.ts'
import { normaliseStructure, type Structure } from '../../../src/domain/structure/structure.ts'
import { isRecord } from '../../../src/domain/structure/walk.ts'
import { type KnownKind, kindOf, questionTypes } from '../../../src/questions/index.ts'
import { parseQuestion } from '../../../src/web/app/builder/question-fields.ts'
import { storedValues } from '../../../src/web/app/builder/question-form.ts'
import { defaultCode } from '../../../src/web/app/builder/texts.ts'
import fc from '../../support/fast-check.ts'
import { validStructure } from '../../support/structures.ts'

const numberOf = (structure: unknown): Structure => numberStructure(normaliseStructure(structure)).structure

const TEXTS = new Set(['title', 'description', 'label', 'message', 'leftLabel', 'rightLabel'])

/** Adds an unknown member with a unique value to every object, so that a lost object is noticed. */
function marked(value: unknown, next = { mark: 0 }): unknown {
  if (Array.isArray(value)) return value.map((item) => marked(item, next))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([name, member]) => [name, TEXTS.has(name) ? member : marked(member, next)])
  return { ...Object.fromEntries(entries), 'x-mark': next.mark++ }
}

function marksIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(marksIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) => (name === 'x-mark' ? [Number(member)] : marksIn(member)))
}

/** An operation of an author. Each position is taken modulo the number of existing items. */
const step = fc.record({
  op: fc.constantFrom(
    'add_page',
    'move_page',
    'edit_page',
    'add_question',
    'shift_question',
    'move_question',
    'duplicate_question',
    'submit_form',
    'rename',
    'json',
  ),
  a: fc.nat(20),
  b: fc.nat(20),
  kind: fc.constantFrom(...(Object.keys(questionTypes) as KnownKind[])),
  text: fc.string({ maxLength: 8 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Returns the operation that the builder executes when an author submits the form of a question without changes. */
function untouchedForm(structure: Structure, index: number): Operation | undefined {
  const question = structure.form.flatMap(({ children }) => children)[index]
  const kind = kindOf(question?.idname)
  if (!question || kind === 'unknown') return undefined
  const code = defaultCode(structure)
  const { value, choices, rows } = storedValues(question, kind, code)
  const fields: Record<string, string> = {}
  const names = [
    'title',
    'description',
    'identifier',
    'lines',
    'kind',
    'min',
    'max',
    'minLength',
    'maxLength',
    'message',
  ]
  for (const name of [
    ...names,
    'minSelected',
    'maxSelected',
    'format',
    'default',
    'leftLabel',
    'rightLabel',
    'yes',
    'no',
  ])
    fields[name] = value(name)
  for (const name of ['yes.uid', 'no.uid', 'yes.was', 'no.was']) fields[name] = value(name)
  for (const name of ['required', 'randomize']) if (value(name)) fields[name] = 'on'
  for (const [list, items] of [
    ['choice', choices],
    ['row', rows],
  ] as const)
    for (const [at, item] of items.entries()) {
      const { other, exclusive, image, isNew: _, ...texts } = item
      for (const [name, text] of Object.entries(texts)) fields[`${list}.${at}.${name}`] = text
      if (kind === 'image-choice' && list === 'choice') {
        fields[`choice.${at}.image`] = image?.url ?? ''
        fields[`choice.${at}.alt`] = image?.alt ?? ''
      }
      if (other) fields[`${list}.${at}.other`] = 'on'
      if (exclusive) fields[`${list}.${at}.exclusive`] = 'on'
    }
  return { op: 'edit_question', id: question.id, change: parseQuestion(fields, kind, code) }
}

function operationOf({ op, a, b, kind, text }: Step, structure: Structure): Operation | undefined {
  const pages = structure.form.length
  const questions = structure.form.flatMap(({ children }) => children)
  const id = questions[a % Math.max(1, questions.length)]?.id
  const code = defaultCode(structure)
  switch (op) {
    case 'add_page':
      return { op, at: a % (pages + 1) }
    case 'move_page':
      return pages > 0 ? { op, page: a % pages, to: b % pages } : undefined
    case 'edit_page':
      return pages > 0
        ? { op, page: a % pages, change: { title: { [code]: text }, randomize: b % 2 === 0 } }
        : undefined
    case 'add_question':
      return { op, id: `new${a}-${b}`, kind, page: a % Math.max(1, pages) }
    case 'submit_form':
      return untouchedForm(structure, a % Math.max(1, questions.length))
    case 'rename':
      return id === undefined ? undefined : { op: 'edit_question', id, change: { title: { [code]: text } } }
    case 'shift_question':
      return id === undefined ? undefined : { op, id, by: b % 2 === 0 ? 1 : -1 }
    case 'move_question':
      return id === undefined ? undefined : { op, id, page: b % pages, at: a % 3 }
    case 'duplicate_question':
      return id === undefined ? undefined : { op, id, copy: `copy${a}-${b}` }
    default:
      return undefined
  }
}

/** Applies an operation as the builder does. A rejected operation changes nothing. */
function applyStep(structure: Structure, step: Step): Structure {
  if (step.op === 'json') return numberOf(JSON.parse(JSON.stringify({ ...structure, [`x-${step.a}`]: step.text })))
  const operation = operationOf(step, structure)
  if (!operation) return structure
  try {
    const after = applyOperation(structure, operation)
    return checkStructure(after).length === 0 ? numberOf(after) : structure
  } catch (error) {
    if (error instanceof Problem) return structure
    throw error
  }
}

describe('a random sequence of operations of the builder and edits of the JSON', () => {
  test('keeps every unknown member and every object, and ends with a valid structure', () => {
    fc.assert(
      fc.property(validStructure, fc.array(step, { maxLength: 12 }), (json, steps) => {
        const start = numberOf(marked(json))
        fc.pre(checkStructure(start).length === 0)
        const end = steps.reduce(applyStep, start)
        expect(checkStructure(end)).toEqual([])
        const kept = new Set(marksIn(end))
        expect(marksIn(start).filter((mark) => !kept.has(mark))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('changes nothing if an author submits the form of a question without changes', () => {
    fc.assert(
      fc.property(validStructure, (json) => {
        const structure = numberOf(marked(json))
        const count = structure.form.flatMap(({ children }) => children).length
        for (let index = 0; index < count; index += 1) {
          const operation = untouchedForm(structure, index)
          if (operation) expect(numberOf(applyOperation(structure, operation))).toEqual(structure)
        }
      }),
      {
        numRuns: 300,
        examples: [
          [
            {
              title: 'T',
              form: [
                {
                  children: [
                    {
                      idname: 'single-choice',
                      id: 'a',
                      children: [{ choices: [{ label: 'Tea' }, { label: 'Coffee' }] }],
                    },
                    {
                      idname: 'section-separator',
                      id: 'b',
                      // The value is the position of a choice, as text.
                      condition: { any: [{ question: 'a', op: 'eq', value: '0' }] },
                      children: [{}],
                    },
                  ],
                },
              ],
            },
          ],
        ],
      },
    )
  })
})
