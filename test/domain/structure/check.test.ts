import { describe, expect, test } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { ask, choices, grid, multi, single, survey, text } from './sample.ts'

const pointersOf = (structure: unknown) => checkStructure(structure).map(({ field }) => field)
const first = '/form/0/children/0'

describe('checkStructure: title', () => {
  test('accepts a structure with only a title', () => {
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
  ])('reports a missing title in %j', (structure) => expect(pointersOf(structure)).toContain('/title'))
  test.each([[null], [[]], ['text'], [7], [undefined]])('rejects %j, because it is not an object', (structure) => {
    expect(pointersOf(structure)).toEqual([''])
  })
})

describe('checkStructure: types of members', () => {
  test('reports each member that has a wrong type, with the pointer to this member', () => {
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
    expect(pointersOf(structure).sort()).toEqual(
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
  test('rejects a form that is not an array', () => expect(pointersOf({ title: 'T', form: {} })).toEqual(['/form']))
  test('accepts null for a known member, and accepts unknown members', () => {
    expect(checkStructure({ title: 'T', description: null, form: null, colour: { a: [1] } })).toEqual([])
  })
  test('reports at most a hundred errors', () => {
    expect(checkStructure({ title: 'T', form: Array.from({ length: 500 }, () => 1) })).toHaveLength(100)
  })
})

describe('checkStructure: structures of clients of the original service', () => {
  test('accepts the additional members that the survey editor of the original service adds', () => {
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
  test('accepts questions that are directly in the form, outside a page, and checks them', () => {
    expect(checkStructure({ title: 'T', form: [text('a'), single('b', { choices: [] })] })).toMatchObject([
      { field: '/form/1/children/0/choices', message: expect.stringContaining('choice') },
    ])
  })
  test('accepts an unknown question type, and rejects a question without idname', () => {
    expect(pointersOf(survey([[{ idname: 'star-map', id: 'x', children: 'whatever' }]]))).toEqual([`${first}/children`])
    expect(pointersOf(survey([[{ idname: 'star-map', id: 'x', children: [7] }]]))).toEqual([])
    expect(pointersOf(survey([[{ id: 'x' }]]))).toEqual([`${first}/idname`])
  })
})

describe('checkStructure: ids and identifiers', () => {
  const second = '/form/0/children/1'
  test.each([
    ['an empty id', [text('')], `${first}/id`],
    ['an id that is a number', [{ ...text('a'), id: 5 }], `${first}/id`],
    ['a duplicate id', [text('a'), text('a')], `${second}/id`],
    ['the name of a meta field as id', [text('_completed')], `${first}/id`],
    ['_key as id', [text('_key')], `${first}/id`],
    ['__proto__ as id', [text('__proto__')], `${first}/id`],
    ['the key of a grid row as id', [grid('q'), text('q_0')], `${second}/id`],
    ['the key of a row of a later grid as id', [text('q_1'), grid('q')], `${first}/id`],
    [
      'the key of the text of an “other” choice as id',
      [text('c\\other'), single('c', choices({ label: 'O', other: true }))],
      `${first}/id`,
    ],
    ['the key of a choice column as id', [multi('m'), text('m\\2')], `${second}/id`],
    [
      'a duplicate identifier',
      [text('a', {}, { identifier: 'x' }), text('b', {}, { identifier: 'x' })],
      `${second}/identifier`,
    ],
    ['an identifier that is another id', [text('a'), text('b', {}, { identifier: 'a' })], `${second}/identifier`],
    ['an identifier that is a grid row', [grid('q'), text('b', {}, { identifier: 'q_1' })], `${second}/identifier`],
    ['an identifier that begins with a digit', [text('a', {}, { identifier: '1x' })], `${first}/identifier`],
    ['an identifier with a hyphen', [text('a', {}, { identifier: 'a-b' })], `${first}/identifier`],
    ['a very long id', [text('x'.repeat(256))], `${first}/id`],
  ])('rejects %s', (_, questions, pointer) => expect(pointersOf(survey([questions]))).toEqual([pointer]))

  test('accepts unusual texts as IDs, such as names of object members and texts with spaces', () => {
    const ids = ['_mine', 'a b', 'constructor', 'q1', '7', 'é', 'q_9', 'toString']
    expect(checkStructure(survey([[grid('q'), ...ids.map((id) => text(id))]]))).toEqual([])
  })
  test('accepts an identifier that equals the ID of its question, an empty identifier and a missing ID', () => {
    const { id: _, ...bare } = text('x')
    expect(
      checkStructure(survey([[text('a', {}, { identifier: 'a' }), text('b', {}, { identifier: '' }), bare]])),
    ).toEqual([])
  })
})

describe('checkStructure: questions', () => {
  test.each([
    ['an empty list of choices', single('a', { choices: [] }), `${first}/children/0/choices`],
    ['a question with no choices and no option object', { idname: 'multiple-choice', id: 'a' }, `${first}/choices`],
    ['choices that are not an array', single('a', { choices: {} }), `${first}/children/0/choices`],
    ['a choice that is not an object', single('a', { choices: ['Red'] }), `${first}/children/0/choices/0`],
    ['a choice without label', single('a', { choices: [{ score: 1 }] }), `${first}/children/0/choices/0/label`],
    [
      'a score that is not a number',
      single('a', choices({ label: 'A', score: 'high' })),
      `${first}/children/0/choices/0/score`,
    ],
    ['another type of option', single('a', { type: 'multiple' }), `${first}/children/0/type`],
    ['an unknown validation', text('a', { validation: { kind: 'poem' } }), `${first}/children/0/validation/kind`],
    ['min above max', text('a', { validation: { min: 3, max: 2 } }), `${first}/children/0/validation/min`],
    [
      'minLength above maxLength',
      text('a', { validation: { minLength: 3, maxLength: 2 } }),
      `${first}/children/0/validation/minLength`,
    ],
    ['a negative length', text('a', { validation: { minLength: -1 } }), `${first}/children/0/validation/minLength`],
    [
      'minSelected above maxSelected',
      multi('a', { minSelected: 3, maxSelected: 2 }),
      `${first}/children/0/minSelected`,
    ],
    ['more selections than choices', multi('a', { minSelected: 4 }), `${first}/children/0/minSelected`],
    ['maxSelected of 0', multi('a', { maxSelected: 0 }), `${first}/children/0/maxSelected`],
    ['an unknown format', ask('datetime', 'a', { format: 'year' }), `${first}/children/0/format`],
    [
      'three labels of a boolean question',
      ask('boolean-choice', 'a', choices('a', 'b', 'c')),
      `${first}/children/0/choices`,
    ],
    ['a grid without rows', grid('a', { children: [] }), `${first}/children`],
    ['a grid without columns', grid('a', { choices: undefined }), `${first}/choices`],
    ['a row of another type', grid('a', { children: [{ type: 'string' }] }), `${first}/children/0/type`],
    ['too many choices', single('a', { choices: Array(1001).fill({ label: 'x' }) }), `${first}/children/0/choices`],
  ])('rejects %s', (_, question, pointer) => expect(pointersOf(survey([[question]]))).toEqual([pointer]))
})

describe('checkStructure: languages', () => {
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
  ])('rejects the languages %j', (languages, pointer) =>
    expect(pointersOf({ title: 'T', languages })).toEqual([pointer]),
  )
  test('requires that the keys of a text object are language codes', () => {
    expect(pointersOf({ title: { '12': 'x', en: 'y' } })).toEqual(['/title/12'])
    expect(pointersOf({ title: { en: 'y', fr: 3 } })).toEqual(['/title/fr'])
    expect(pointersOf({ title: { 'pt-BR': 'a', zh_Hans: 'b' } })).toEqual([])
  })
})

describe('checkStructure: limits of the database', () => {
  test.each([
    ['NUL in a text', { title: 'T', form: [{ children: [text('a', {}, { note: 'a\0' })] }] }, `${first}/note`],
    ['an unpaired surrogate', { title: 'T', x: ['\ud800'] }, '/x/0'],
    ['NUL in a member name', { title: 'T', x: { 'a\0': 1 } }, '/x'],
    ['a member named __proto__', JSON.parse('{"title":"T","a/b":{"__proto__":{}}}'), '/a~1b'],
  ])('rejects %s', (_, structure, pointer) => expect(pointersOf(structure)).toEqual([pointer]))

  test('accepts 40 nested levels and rejects deeper nesting', () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    expect(checkStructure({ title: 'T', x: nested(39) })).toEqual([])
    expect(checkStructure({ title: 'T', x: nested(40) })).toHaveLength(1)
    expect(checkStructure({ title: 'T', x: nested(5000) })).toHaveLength(1)
  })
  test('accepts 5000 questions and rejects a larger number of questions', () => {
    const many = (count: number) => survey([Array.from({ length: count }, (_, at) => text(`q${at}`))])
    expect(checkStructure(many(5000))).toEqual([])
    expect(pointersOf(many(5001))).toEqual(['/form'])
  })
})
