import { describe, expect, test } from '@jest/globals'
import { diffStructures } from '../../../src/domain/structure/diff.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { choices, grid, single, survey, text } from './sample.ts'

const diff = (a: unknown, b: unknown) => diffStructures(normaliseStructure(a), normaliseStructure(b))
const none = { added: [], removed: [], changed: [] }

describe('diffStructures', () => {
  test('returns no changes for equal structures', () => {
    const same = survey([[single('a'), grid('g')]])
    expect(diff(same, structuredClone(same))).toEqual({ questions: none, choices: none })
  })
  test('lists added and removed questions', () => {
    const { questions, choices: changed } = diff(survey([[text('a'), text('b')]]), survey([[text('a')], [single('c')]]))
    expect(questions).toEqual({
      added: [{ id: 'c', idname: 'single-choice', title: { en: 'Title of c' }, page: 2 }],
      removed: [{ id: 'b', idname: 'text-response', title: { en: 'Title of b' }, page: 1 }],
      changed: [],
    })
    expect(changed).toEqual(none)
  })
  test('lists the changed members of a question, including its settings, such as `required`', () => {
    const { questions } = diff(survey([[text('a')]]), survey([[], [text('a', { required: true }, { title: 'New' })]]))
    expect(questions.changed).toEqual([
      {
        id: 'a',
        changes: [
          { member: 'title', from: { en: 'Title of a' }, to: { en: 'New' } },
          { member: 'page', from: 1, to: 2 },
          { member: 'required', from: null, to: true },
        ],
      },
    ])
  })
  test('identifies choices without stable numbers by their position', () => {
    const changed = diff(
      survey([[single('a', choices('A', 'B', 'C')), grid('g')]]),
      survey([[single('a', choices('A', 'X')), grid('g', choices('Bad', 'Fair', 'Good', 'Best'))]]),
    ).choices
    expect(changed).toEqual({
      added: [{ question: 'g', index: 3, label: { en: 'Best' } }],
      removed: [{ question: 'a', index: 2, label: { en: 'C' } }],
      changed: [{ question: 'a', index: 1, changes: [{ member: 'label', from: { en: 'B' }, to: { en: 'X' } }] }],
    })
  })
  test('reports a changed row of a grid as a change of the question', () => {
    const { questions } = diff(
      survey([[grid('g')]]),
      survey([[grid('g', { children: [{ type: 'single', label: 'Food' }] })]]),
    )
    expect(questions.changed).toMatchObject([{ id: 'g', changes: [{ member: 'rows' }] }])
  })
})
