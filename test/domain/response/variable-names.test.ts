import { expect, test } from '@jest/globals'
import { variableNames } from '../../../src/domain/response/export/statistics/variables.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { isRandomId, newQuestionId } from '../../../src/domain/structure/edit/edit-question.ts'
import { metaFields } from '../../../src/domain/structure/meta-fields.ts'
import { numberQuestions, numberStructure, type QuestionNumbers } from '../../../src/domain/structure/numbering.ts'
import { normaliseStructure, type Structure } from '../../../src/domain/structure/structure.ts'
import { questionTypes } from '../../../src/questions/index.ts'
import fc from '../../support/fast-check.ts'

/** Names that at least one of the programs reserves. */
const RESERVED =
  /^(all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with|if|in|int|long|byte|float|double|str\d*|strl|using|_.*|else|repeat|while|function|for|next|break|true|false|null|inf|nan|na)$/i

const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const randomId = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 10, maxLength: 10 })
const numRuns = Number(process.env.PROPERTY_RUNS ?? 300)
const word = fc.constantFrom(
  'q1',
  'q2',
  'q1_1',
  'q1_other',
  'age',
  'AGE',
  'to',
  'Q1',
  'str3',
  '9th',
  'a'.repeat(40),
  'ä',
  'response_id',
  'x_',
)
const id = fc.oneof(word, randomId, fc.string({ minLength: 1, maxLength: 60 }))
const question = fc.record({
  id,
  identifier: fc.option(fc.constantFrom('q1', 'age', 'Age', 'while', 'q3', `x${'y'.repeat(50)}`), { nil: undefined }),
  idname: fc.constantFrom(...Object.keys(questionTypes)),
  count: fc.integer({ min: 1, max: 12 }),
  other: fc.boolean(),
})
const questions = fc.uniqueArray(question, { selector: (one) => one.id, maxLength: 12 })

function structureOf(all: readonly (typeof question extends fc.Arbitrary<infer Value> ? Value : never)[]): Structure {
  const children = all.map(({ id: own, identifier, idname, count, other }) => {
    const choices = Array.from({ length: count }, (_, index) => ({
      label: `Choice ${index}`,
      other: other && index === 0,
    }))
    const isGrid = /grid/.test(idname)
    return {
      id: own,
      identifier,
      idname,
      title: own,
      choices,
      children: isGrid ? [{ label: 'First' }, { label: 'Second' }] : [{ choices, multiple: other }],
    }
  })
  return normaliseStructure({ title: 'Names', form: [{ children }] })
}

/** Returns the names of all variables by a key that stays the same: the question, and the stable number of the part. */
function namesOf(structure: Structure, numbers: QuestionNumbers): Map<string, string> {
  const q = compile(structure)
  const names = variableNames(q, numbers)
  const entries = q.fields.flatMap((field): [string, string][] =>
    field.type === 'multi' || field.type === 'ranking'
      ? field.choices.map(({ uid }) => [`${field.storedKey} choice ${uid}`, names.answer(field, uid)])
      : [[field.storedKey, names.answer(field)]],
  )
  return new Map([...entries, ...metaFields.map(({ key }): [string, string] => [key, names.meta(key)])])
}

test('names are legal in SPSS, Stata and R, and differ if upper and lower case are equal', () => {
  fc.assert(
    fc.property(questions, (all) => {
      const structure = structureOf(all)
      const names = [...namesOf(structure, numberQuestions(structure)).values()]
      for (const name of names) {
        expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]{0,31}$/)
        expect(name).not.toMatch(RESERVED)
      }
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
    }),
    { numRuns },
  )
})

test('names stay the same if questions and choices move or are removed', () => {
  const random = fc.uniqueArray(
    fc
      .constant('')
      .map(newQuestionId)
      .map((own) => ({ own })),
    { minLength: 1, maxLength: 8, selector: ({ own }) => own },
  )
  fc.assert(
    fc.property(
      random,
      fc.constantFrom('multiple-choice', 'single-choice-grid', 'text-response'),
      fc.infiniteStream(fc.nat()),
      (ids, idname, order) => {
        const all = ids.map(({ own }) => ({ id: own, identifier: undefined, idname, count: 4, other: false }))
        const first = numberStructure(structureOf(all))
        const numbers = numberQuestions(first.structure)
        const before = namesOf(first.structure, numbers)
        const shuffled = <Item>(items: readonly Item[]): Item[] =>
          items
            .map((item) => ({ item, key: order.next().value! }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item)
        const [page] = first.structure.form
        const kept = shuffled(page!.children)
          .slice(order.next().value! % (page!.children.length + 1))
          .map((one) => ({ ...one, choices: shuffled((one.choices ?? []) as object[]).slice(1) }))
        const added = structureOf([{ id: newQuestionId(), identifier: undefined, idname, count: 2, other: false }])
          .form[0]!.children
        const next = numberStructure(
          { ...first.structure, form: [{ ...page!, children: [...added, ...kept] as never }] },
          first,
        )
        const after = namesOf(next.structure, numberQuestions(next.structure, numbers))
        for (const [key, name] of after) if (before.has(key)) expect([key, name]).toEqual([key, before.get(key)])
        const newNames = [...after].flatMap(([key, name]) => (before.has(key) ? [] : [name]))
        for (const name of newNames) expect([...before.values()]).not.toContain(name)
      },
    ),
    { numRuns },
  )
})

test('an ID that the service chose is recognised, and words are not', () => {
  for (const word of ['profession', 'age', 'question23', 'how_often_', 'satisfied1'])
    expect(isRandomId(word)).toBe(false)
  expect(Array.from({ length: 200 }, newQuestionId).filter(isRandomId).length).toBeGreaterThan(150)
})
