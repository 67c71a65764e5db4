import { describe, expect, test } from '@jest/globals'
import { compile } from '../../../src/domain/structure/compile.ts'
import { translatableTexts } from '../../../src/domain/structure/edit/translations.ts'
import { numberStructure } from '../../../src/domain/structure/numbering.ts'
import type { StructureQuestion } from '../../../src/domain/structure/structure.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { anyText } from '../../../src/web/app/builder/texts.ts'
import { TYPES } from '../../support/every-type.ts'
import { ask, choices, compiled, everything, single, survey } from './sample.ts'

describe('compile', () => {
  const q = everything()

  test('lists the response keys in order, with their types', () => {
    expect(q.fields.map(({ key, type }) => `${key}:${type}`)).toEqual([
      'name:string',
      'colour:single',
      'colour\\other:other',
      'drinks:multi',
      'size:single',
      'again:boolean',
      'when:datetime',
      'day:datetime',
      'hour:datetime',
      'source:hidden',
      'order:ranking',
      'rate_0:single',
      'rate_1:single',
      'notes_0:string',
      'notes_1:string',
      'level_0:single',
      'nps:number',
    ])
  })

  test('finds questions and fields by id, identifier and key', () => {
    expect(q.byIdentifier.get('hue')).toBe(q.byId.get('colour'))
    expect(q.byKey.get('rate_1')).toMatchObject({ row: { index: 1, label: { en: 'Room' } } })
    expect(q.byKey.get('rate_1')!.question).toBe(q.byId.get('rate'))
    expect(q.questions.map(({ page }) => page)).toEqual([...Array(6).fill(1), ...Array(10).fill(2)])
    expect(q.byId.get('day')).toMatchObject({ format: 'date', pointer: '/form/1/children/1' })
    expect(q.byId.get('when')).not.toHaveProperty('format')
    expect(q.byId.get('source')).toMatchObject({ default: 'web' })
  })

  test('keeps a question of an unknown type without fields', () => {
    expect(q.byId.get('odd')).toMatchObject({
      kind: 'unknown',
      idname: 'star-map',
      fields: [],
      title: { en: 'Title of odd' },
    })
  })

  // A structure stores the settings of an unknown type as they are, and a later version of Canvass can know the type.
  const settings = {
    choices: [null, 7, { label: 'A' }, { label: null }, { label: ['B'] }],
    ...{
      validation: 5,
      minSelected: '1',
      default: { a: 1 },
      leftLabel: 7,
      required: 'yes',
      randomize: 1,
      format: 'day',
    },
    ...{
      min: 'x',
      max: true,
      step: [],
      also: [1, 'x'],
      decimals: {},
      unit: 'kg',
      total: '9',
      expression: 3,
      version: 1,
    },
    ...{
      steps: '5',
      maxFiles: '2',
      fileTypes: ['image', 7],
      statement: [],
      earliest: 5,
      categories: [{ choices: 5 }, 7],
    },
  }
  const stored = normaliseStructure(
    survey([[{ idname: 'not-yet-known', id: 'one', ...settings, children: [{ label: 'R', ...settings }] }]]),
  )

  test.each([...TYPES])('ignores settings of another type in a stored %s question', (idname) => {
    const form = stored.form.map((page) => ({
      ...page,
      children: page.children.map((question): StructureQuestion => ({ ...question, idname })),
    }))
    const known = { ...stored, form }
    const [question] = compile(numberStructure(known, { structure: known, removed: [] }).structure).questions
    expect(question).toMatchObject({ required: false, randomize: false, kind: idname })
    const { minSelected, leftLabel, format, validation, min, unit, statement } = question!
    expect({ minSelected, leftLabel, format, unit, statement }).toEqual({})
    expect([undefined, 0]).toContain(min)
    expect([undefined, 'email']).toContain(validation?.kind)
  })

  test('gives translators only the texts of an unknown type that are texts', () => {
    expect(translatableTexts(stored).every(({ text }) => typeof text === 'object')).toBe(true)
    const labels = (stored.form[0]!.children[0]!.choices ?? []).map((choice) => anyText(choice?.label, 'en'))
    expect(labels).toEqual(['', '', 'A', '', 'B'])
  })

  test('returns a deep-frozen model', () => {
    expect(Object.isFrozen(q.pages[0]!.questions[1]!.fields[0])).toBe(true)
    expect(Object.isFrozen(q.byId.get('colour')!.choices[0]!.label)).toBe(true)
    expect(Object.isFrozen(q.byId.get('rate')!.rows[0])).toBe(true)
    expect(() => (q.byId as Map<string, unknown>).set('x', 1)).toThrow(TypeError)
  })

  test('sets the default score of a choice to the position of the choice, counted from 1', () => {
    const own = compiled(
      survey([
        [single('a', choices('A', { label: 'B', score: 0 }, { label: 'C', score: '7' }, { label: 'D', score: '' }))],
      ]),
    )
    expect(own.byId.get('a')!.choices.map(({ score }) => score)).toEqual([1, 0, 7, 4])
  })

  test('compiles net-promoter to the choices 0 to 10, with the labels that an editor stored in `categories`', () => {
    const categories = [
      {
        label: 'P',
        choices: [
          { label: 'Ten!', score: 10 },
          { label: '9', score: 9 },
        ],
      },
    ]
    const nps = compiled(
      survey([[ask('net-promoter', 'a', { type: 'drill-down', categories, leftLabel: 'No' })]]),
    ).byId.get('a')!
    expect(nps.choices.map(({ index, score }) => [index, score])).toEqual(Array.from({ length: 11 }, (_, n) => [n, n]))
    expect([nps.choices[10]!.label, nps.choices[9]!.label, nps.choices[0]!.label]).toEqual([
      { en: 'Ten!' },
      { en: '9' },
      { en: '0' },
    ])
    expect(nps.leftLabel).toEqual({ en: 'No' })
  })

  test('compiles a boolean question to the choices yes and no, or to the two choices of the author', () => {
    const own = compiled(survey([[ask('boolean-choice', 'a'), ask('boolean-choice', 'b', choices('Aye', 'Nay'))]]))
    expect(own.byId.get('a')!.choices[0]!.label).toMatchObject({ en: 'Yes', de: 'Ja', pt: 'Sim' })
    expect(own.byId.get('b')!.choices.map(({ label }) => label.en)).toEqual(['Aye', 'Nay'])
  })

  test('reads settings that are directly in a question, as in the short form', () => {
    const short = {
      idname: 'multiple-choice',
      id: 'a',
      required: true,
      randomize: true,
      maxSelected: 2,
      ...choices('A', 'B'),
    }
    expect(compiled(survey([[short]])).byId.get('a')).toMatchObject({
      required: true,
      randomize: true,
      maxSelected: 2,
      choices: [{}, {}],
    })
  })

  test('compiles pages, skips, quotas and languages', () => {
    const when = { all: [{ question: 'a', op: 'answered' }] }
    const own = compiled({
      title: 'T',
      languages: [
        { code: 'fr', name: 'Français', isDefault: true },
        { code: 'en', name: 'English' },
      ],
      form: [
        { title: 'P', children: [single('a')], skip: [{ when, to: 2 }], randomize: true },
        { children: [], condition: when },
      ],
      quotas: [{ name: 'n', when, limit: 3, action: 'close', message: 'Full' }],
    })
    expect(own.defaultLanguage).toBe('fr')
    expect(own.pages).toMatchObject([
      { number: 1, title: { fr: 'P' }, skips: [{ when, to: 2 }], randomize: true },
      { number: 2, condition: when },
    ])
    expect(own.quotas).toEqual([{ name: 'n', when, limit: 3, action: 'close', message: { fr: 'Full' } }])
  })
})
