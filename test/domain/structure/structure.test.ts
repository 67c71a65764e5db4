import { describe, expect, test } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { normaliseStructure, titleOf } from '../../../src/domain/structure/structure.ts'
import { choices, single, survey, text } from './sample.ts'

describe('normaliseStructure [spec 6.2]', () => {
  test('adds the missing members of a minimal survey', () => {
    expect(normaliseStructure({ title: 'Lunch' })).toEqual({
      title: { en: 'Lunch' },
      languages: [{ code: 'en', name: 'English', isDefault: true }],
      form: [],
    })
  })

  test('removes known members with the value null, and keeps unknown members', () => {
    const question = { idname: 'text-response', id: 'a', condition: null, 'x-note': null, children: [{ lines: null }] }
    const other = { idname: 'map', id: 'b', title: null, min: null, children: [{ required: null }] }
    const [page] = normaliseStructure({
      title: 'T',
      description: null,
      form: [{ title: null, children: [question, other] }],
    }).form
    expect(page).toEqual({
      type: 'page',
      children: [
        {
          type: 'question',
          width: 100,
          idname: 'text-response',
          id: 'a',
          'x-note': null,
          children: [{ type: 'string' }],
        },
        { type: 'question', width: 100, idname: 'map', id: 'b', min: null, children: [{ required: null }] },
      ],
    })
  })

  test('expands the short form of a structure, and stores plain texts as texts in the default language', () => {
    const structure = normaliseStructure({
      title: 'Repas',
      languages: [
        { code: 'en', name: 'English' },
        { code: 'fr', name: 'Français', isDefault: true },
      ],
      form: [
        {
          title: 'Page',
          children: [
            { idname: 'single-choice', id: 'a', title: 'Où ?', children: [choices('Ici', { label: { en: 'There' } })] },
          ],
        },
      ],
      quotas: [{ name: 'n', limit: 1, action: 'close', message: 'Plein' }],
    })
    expect(structure.form).toEqual([
      {
        type: 'page',
        title: { fr: 'Page' },
        children: [
          {
            type: 'question',
            width: 100,
            idname: 'single-choice',
            id: 'a',
            title: { fr: 'Où ?' },
            children: [{ type: 'single', choices: [{ label: { fr: 'Ici' } }, { label: { en: 'There' } }] }],
          },
        ],
      },
    ])
    expect(structure.languages.map(({ isDefault }) => isDefault)).toEqual([false, true])
    expect(structure.quotas).toEqual([{ name: 'n', limit: 1, action: 'close', message: { fr: 'Plein' } }])
  })

  test('normalises validation messages, rows, scale labels and categories', () => {
    const categories = [{ label: 'Promoter', choices: [{ label: '10', score: 10 }] }]
    const structure = normaliseStructure(
      survey([
        [
          text('a', { validation: { kind: 'email', message: 'Wrong' } }),
          { idname: 'text-response-grid', id: 'g', children: [{ label: 'Row' }] },
          { idname: 'nps', id: 'n', children: [{ type: 'drill-down', leftLabel: 'No', categories }] },
        ],
      ]),
    )
    const [a, g, n] = structure.form[0]!.children
    expect(a!.children[0]!.validation).toEqual({ kind: 'email', message: { en: 'Wrong' } })
    expect(g!.children).toEqual([{ type: 'string', label: { en: 'Row' } }])
    expect(n).toMatchObject({ idname: 'net-promoter' })
    expect(n!.children[0]).toEqual({
      type: 'drill-down',
      leftLabel: { en: 'No' },
      categories: [{ label: { en: 'Promoter' }, choices: [{ label: { en: '10' }, score: 10 }] }],
    })
  })

  test('keeps unknown members and does not change questions of unknown types', () => {
    const odd = { idname: 'star-map', id: 'x', stars: 3, children: [{ label: 'plain', deep: { a: 1 } }] }
    const structure = normaliseStructure({
      title: 'T',
      theme: 'dark',
      form: [{ mood: 'calm', children: [odd, single('a', { shade: 1, choices: [{ label: 'A', icon: 'x' }] })] }],
    })
    expect(structure).toMatchObject({ theme: 'dark', form: [{ mood: 'calm', children: [odd, {}] }] })
    expect(structure.form[0]!.children[1]!.children[0]).toMatchObject({ shade: 1, choices: [{ icon: 'x' }] })
  })

  test('does not change its argument', () => {
    const authored = survey([[single('a')]])
    const before = structuredClone(authored)
    normaliseStructure(authored)
    expect(authored).toEqual(before)
  })

  test('puts questions outside a page into pages', () => {
    const structure = normaliseStructure({
      title: 'T',
      form: [text('a'), text('b'), { children: [text('c')] }, text('d')],
    })
    expect(structure.form.map(({ children }) => children.map(({ id }) => id))).toEqual([['a', 'b'], ['c'], ['d']])
  })

  test('wraps a single rule in a condition', () => {
    const rule = { question: 'a', op: 'answered' }
    const structure = normaliseStructure(
      survey([[text('a'), text('b', {}, { condition: rule })]], { quotas: [{ when: rule }] }),
    )
    expect(structure.form[0]!.children[1]!.condition).toEqual({ all: [rule] })
    expect(structure.quotas).toEqual([{ when: { all: [rule] } }])
  })

  test('generates an ID of ten letters and digits for each question without one; these IDs are unique and stable', () => {
    const bare = { idname: 'text-response', title: 'Why?' }
    const ids = (title: string) =>
      normaliseStructure(survey([[bare, bare, { ...bare, title }]])).form[0]!.children.map(({ id }) => id)
    expect(new Set(ids('How?')).size).toBe(3)
    for (const id of ids('How?')) expect(id).toMatch(/^[A-Za-z0-9]{10}$/)
    expect(ids('How?')).toEqual(ids('How?'))
    expect(ids('Who?').slice(0, 2)).toEqual(ids('How?').slice(0, 2))
  })

  test('returns a structure that passes the check', () => {
    expect(checkStructure(normaliseStructure(survey([[single('a'), { idname: 'text-response' }]])))).toEqual([])
  })
})

describe('titleOf', () => {
  const languages = [{ code: 'fr', isDefault: true }]
  test('returns the title in the default language, or in another language if that title is empty', () => {
    expect(titleOf(normaliseStructure({ title: { en: 'A', fr: ' B ' }, languages }))).toBe('B')
    expect(titleOf(normaliseStructure({ title: { en: 'A', fr: '' }, languages }))).toBe('A')
  })
})
