import { describe, expect, test } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { ask, choices, grid, multi, single, survey, text } from './sample.ts'

const places = (structure: unknown) => checkStructure(structure).map(({ field }) => field)
const first = '/form/0/children/0'

describe('the title', () => {
  test('is all a survey needs', () => {
    expect(checkStructure({ title: 'Lunch' })).toEqual([])
    expect(checkStructure({ title: { en: 'Lunch', fr: 'Déjeuner' } })).toEqual([])
  })
  test.each([
    [{}],
    [{ title: null }],
    [{ title: '' }],
    [{ title: '  ' }],
    [{ title: {} }],
    [{ title: { en: '' } }],
    [{ title: 7 }],
  ])('is missing in %j', (structure) => expect(places(structure)).toContain('/title'))
  test.each([[null], [[]], ['text'], [7], [undefined]])('cannot stand in %j', (structure) => {
    expect(places(structure)).toEqual([''])
  })
})

describe('types of members', () => {
  test('are named at their place, all at once', () => {
    const structure = {
      title: 'T',
      description: 7,
      uniques: {},
      firstPageTitleDescription: 'yes',
      languageDisplayStyle: 1,
      quotas: 'none',
      languages: {},
      jumping: 1,
      showBranchingInfo: 'no',
      form: [{ type: 'book', title: [], children: [7, single('a', { required: 'yes', randomize: 1 })] }],
    }
    expect(places(structure).sort()).toEqual(
      [
        '/description',
        '/firstPageTitleDescription',
        '/form/0/children/0',
        '/form/0/children/1/children/0/randomize',
        '/form/0/children/1/children/0/required',
        '/form/0/title',
        '/form/0/type',
        '/jumping',
        '/languageDisplayStyle',
        '/languages',
        '/quotas',
        '/showBranchingInfo',
        '/uniques',
      ].sort(),
    )
  })
  test('form has to be an array', () => expect(places({ title: 'T', form: {} })).toEqual(['/form']))
  test('null counts as left out, unknown members are no fault', () => {
    expect(checkStructure({ title: 'T', description: null, form: null, colour: { a: [1] } })).toEqual([])
  })
  test('no more than a hundred are named', () => {
    expect(checkStructure({ title: 'T', form: Array.from({ length: 500 }, () => 1) })).toHaveLength(100)
  })
})

describe('what real clients send', () => {
  test('is accepted with the extra members of old editors', () => {
    const net = {
      idname: 'net-promoter',
      id: 'nps',
      children: [
        { type: 'drill-down', flipOrder: true, categories: [{ label: 'P', choices: [{ score: 10, label: '10' }] }] },
      ],
    }
    const old = text('t', { type: 'string', has_cols: false, cols: '', appearance: 'full' })
    const row = { type: 'single', required: false, randomizeLimit: '', label: { en: 'Row' } }
    expect(checkStructure(survey([[net, old, grid('g', { children: [row], staticcol: false })]]))).toEqual([])
  })
  test('bare questions may stand in form', () => {
    expect(checkStructure({ title: 'T', form: [text('a'), single('b', { choices: [] })] })).toMatchObject([
      { field: '/form/1/children/0/choices', message: expect.stringContaining('choice') },
    ])
  })
  test('an unknown idname is no fault, a missing one is', () => {
    expect(places(survey([[{ idname: 'star-map', id: 'x', children: 'whatever' }]]))).toEqual([`${first}/children`])
    expect(places(survey([[{ idname: 'star-map', id: 'x', children: [7] }]]))).toEqual([])
    expect(places(survey([[{ id: 'x' }]]))).toEqual([`${first}/idname`])
  })
})

describe('ids and identifiers', () => {
  const second = '/form/0/children/1'
  test.each([
    ['an empty id', [text('')], `${first}/id`],
    ['an id that is a number', [{ ...text('a'), id: 5 }], `${first}/id`],
    ['a doubled id', [text('a'), text('a')], `${second}/id`],
    ['a meta field', [text('_completed')], `${first}/id`],
    ['the response key', [text('_key')], `${first}/id`],
    ['a prototype', [text('__proto__')], `${first}/id`],
    ['a grid row', [grid('q'), text('q_0')], `${second}/id`],
    ['a grid row, the grid later', [text('q_1'), grid('q')], `${first}/id`],
    ['an other text', [text('c\\other'), single('c', choices({ label: 'O', other: true }))], `${first}/id`],
    ['a choice column', [multi('m'), text('m\\2')], `${second}/id`],
    [
      'a doubled identifier',
      [text('a', {}, { identifier: 'x' }), text('b', {}, { identifier: 'x' })],
      `${second}/identifier`,
    ],
    ['an identifier that is another id', [text('a'), text('b', {}, { identifier: 'a' })], `${second}/identifier`],
    ['an identifier that is a grid row', [grid('q'), text('b', {}, { identifier: 'q_1' })], `${second}/identifier`],
    ['an identifier of wrong grammar', [text('a', {}, { identifier: '1x' })], `${first}/identifier`],
    ['an identifier with a hyphen', [text('a', {}, { identifier: 'a-b' })], `${first}/identifier`],
    ['a very long id', [text('x'.repeat(256))], `${first}/id`],
  ])('refuses %s', (_, questions, place) => expect(places(survey([questions]))).toEqual([place]))

  test('anything else may be an id', () => {
    const ids = ['_mine', 'a b', 'constructor', 'q1', '7', 'é', 'q_9', 'toString']
    expect(checkStructure(survey([[grid('q'), ...ids.map((id) => text(id))]]))).toEqual([])
  })
  test('a question may have its id as identifier, or none, and ids may be missing', () => {
    const { id: _, ...bare } = text('x')
    expect(
      checkStructure(survey([[text('a', {}, { identifier: 'a' }), text('b', {}, { identifier: '' }), bare]])),
    ).toEqual([])
  })
})

describe('questions', () => {
  test.each([
    ['no choices', single('a', { choices: [] }), `${first}/children/0/choices`],
    ['no option', { idname: 'multiple-choice', id: 'a' }, `${first}/choices`],
    ['choices that are no array', single('a', { choices: {} }), `${first}/children/0/choices`],
    ['a choice that is no object', single('a', { choices: ['Red'] }), `${first}/children/0/choices/0`],
    ['a choice without label', single('a', { choices: [{ score: 1 }] }), `${first}/children/0/choices/0/label`],
    [
      'a score that is no number',
      single('a', choices({ label: 'A', score: 'high' })),
      `${first}/children/0/choices/0/score`,
    ],
    ['another type of option', single('a', { type: 'multiple' }), `${first}/children/0/type`],
    ['an unknown validation', text('a', { validation: { kind: 'poem' } }), `${first}/children/0/validation/kind`],
    ['min above max', text('a', { validation: { min: 3, max: 2 } }), `${first}/children/0/validation/min`],
    [
      'lengths crossed',
      text('a', { validation: { minLength: 3, maxLength: 2 } }),
      `${first}/children/0/validation/minLength`,
    ],
    ['a negative length', text('a', { validation: { minLength: -1 } }), `${first}/children/0/validation/minLength`],
    ['selections crossed', multi('a', { minSelected: 3, maxSelected: 2 }), `${first}/children/0/minSelected`],
    ['more selections than choices', multi('a', { minSelected: 4 }), `${first}/children/0/minSelected`],
    ['no selection at most', multi('a', { maxSelected: 0 }), `${first}/children/0/maxSelected`],
    ['an unknown format', ask('datetime', 'a', { format: 'year' }), `${first}/children/0/format`],
    ['three booleans', ask('boolean-choice', 'a', choices('a', 'b', 'c')), `${first}/children/0/choices`],
    ['a grid without rows', grid('a', { children: [] }), `${first}/children`],
    ['a grid without columns', grid('a', { choices: undefined }), `${first}/choices`],
    ['a row of another type', grid('a', { children: [{ type: 'string' }] }), `${first}/children/0/type`],
    ['too many choices', single('a', { choices: Array(1001).fill({ label: 'x' }) }), `${first}/children/0/choices`],
  ])('refuses %s', (_, question, place) => expect(places(survey([[question]]))).toEqual([place]))
})

describe('languages', () => {
  test.each([
    [[{ code: 'not a code' }], '/languages/0/code'],
    [[{ name: 'English' }], '/languages/0/code'],
    [[{ code: 'en' }, { code: 'en' }], '/languages/1/code'],
    [
      [
        { code: 'en', isDefault: true },
        { code: 'fr', isDefault: true },
      ],
      '/languages',
    ],
    [[{ code: 'en', isDefault: false }], '/languages'],
    [['en'], '/languages/0'],
  ])('%j is refused', (languages, place) => expect(places({ title: 'T', languages })).toEqual([place]))
  test('texts are by language code', () => {
    expect(places({ title: { '12': 'x', en: 'y' } })).toEqual(['/title/12'])
    expect(places({ title: { en: 'y', fr: 3 } })).toEqual(['/title/fr'])
    expect(places({ title: { 'pt-BR': 'a', zh_Hans: 'b' } })).toEqual([])
  })
})

describe('what cannot be stored', () => {
  test.each([
    ['NUL in a text', { title: 'T', form: [{ children: [text('a', {}, { note: 'a\0' })] }] }, `${first}/note`],
    ['half a surrogate', { title: 'T', x: ['\ud800'] }, '/x/0'],
    ['NUL in a member name', { title: 'T', x: { 'a\0': 1 } }, '/x'],
    ['a prototype', JSON.parse('{"title":"T","a/b":{"__proto__":{}}}'), '/a~1b'],
  ])('is refused: %s', (_, structure, place) => expect(places(structure)).toEqual([place]))

  test('depth beyond 40 levels is refused, 40 are not', () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    expect(checkStructure({ title: 'T', x: nested(39) })).toEqual([])
    expect(checkStructure({ title: 'T', x: nested(40) })).toHaveLength(1)
    expect(checkStructure({ title: 'T', x: nested(5000) })).toHaveLength(1)
  })
  test('more than 5000 questions are refused', () => {
    const many = (count: number) => survey([Array.from({ length: count }, (_, at) => text(`q${at}`))])
    expect(checkStructure(many(5000))).toEqual([])
    expect(places(many(5001))).toEqual(['/form'])
  })
})
