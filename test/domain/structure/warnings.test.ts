import { describe, expect, test } from '@jest/globals'
import { demoStructure } from '../../../src/command/demo.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { structureWarnings } from '../../../src/domain/structure/warnings.ts'
import fc from '../../support/fast-check.ts'
import { validStructure } from '../../support/structures.ts'
import { grid, single, survey, text } from './sample.ts'

const found = (structure: unknown) => structureWarnings(structure).map(({ pointer, message }) => [pointer, message])
const first = '/form/0/children/0'

describe('structureWarnings', () => {
  test.each([
    ['a setting', { idname: 'text-response', id: 'a', requird: true }, `${first}/requird`, 'required'],
    ['an option object', text('a', { validaton: {} }), `${first}/children/0/validaton`, 'validation'],
    [
      'a choice',
      single('a', { choices: [{ lable: 'A', label: 'B' }] }),
      `${first}/children/0/choices/0/lable`,
      'label',
    ],
    ['a row', grid('g', { children: [{ Required: true, label: 'A' }] }), `${first}/children/0/Required`, 'required'],
    ['a question', text('a', {}, { descripton: 'x' }), `${first}/descripton`, 'description'],
    [
      'a validation',
      text('a', { validation: { maxLenght: 3 } }),
      `${first}/children/0/validation/maxLenght`,
      'maxLength',
    ],
    [
      'a question with a synonym of its type',
      { idname: 'Text', id: 'a', requird: true },
      `${first}/requird`,
      'required',
    ],
  ])('reports a misspelt member of %s with a suggestion', (_, question, pointer, meant) => {
    const name = pointer.slice(pointer.lastIndexOf('/') + 1)
    const message = `“${name}” has no effect. Did you mean “${meant}”?`
    expect(structureWarnings(survey([[question]]))).toMatchObject([{ pointer, code: 'unknown_member', message }])
  })

  test('reports misspelt members of the survey, its pages, rules, skips and quotas', () => {
    const rule = { question: 'a', op: 'answered', valeu: 1 }
    const structure = {
      title: 'T',
      lanugages: [],
      form: [
        { children: [text('a')], randomise: true },
        { children: [text('b')], condition: { all: [rule] }, skips: [], skip: [{ to: 'complete', whne: {} }] },
      ],
      quotas: [{ name: 'q', limit: 1, action: 'close', mesage: 'x' }],
    }
    expect(found(structure).map(([pointer]) => pointer)).toEqual([
      '/lanugages',
      '/form/0/randomise',
      '/form/1/skips',
      '/form/1/condition/all/0/valeu',
      '/form/1/skip/0/whne',
      '/quotas/0/mesage',
    ])
  })

  test('reports a misspelt question type with a suggestion', () => {
    const question = { ...single('a'), idname: 'single-choise' }
    const message =
      '“single-choise” is not a known question type. Respondents see only its title and description. Did you mean “single-choice”?'
    expect(structureWarnings(survey([[question]]))).toMatchObject([
      { pointer: `${first}/idname`, code: 'unknown_question_type', message },
    ])
    expect(found(survey([[{ idname: 'star-map', id: 'x' }]]))).toEqual([
      [`${first}/idname`, '“star-map” is not a known question type. Respondents see only its title and description.'],
    ])
  })

  test('returns no warning for unknown members whose names resemble no known name', () => {
    const own = { colour: 'red', note: 'x', SPSS_FORMULAS: [], REVERSE_VALUE: true, x: 1, constructor: 1, toString: 2 }
    expect(found(survey([[text('a', own, own), grid('g', own)]], { ...own, zebra: { lable: 1 } }))).toEqual([])
  })

  test('returns no warning for members that the survey editor of the original service adds', () => {
    const old = {
      showBorders: false,
      unique: false,
      grouped: true,
      alphabetize: false,
      randomize: false,
      randomizeLimit: false,
      questionSize: 30,
      uniqueError: 'Responses must be unique',
      alternateBackground: false,
      staticcol: false,
    }
    const row = { randomizeLimit: '', alphabetize: false, type: 'single', required: false, label: 'A', static: false }
    const nps = {
      leftLabel: 'Likely',
      showCatLabels: false,
      flipOrder: true,
      type: 'drill-down',
      display: 'likert',
      categories: [{ label: 'Promoter', choices: [{ score: 10, label: '10' }] }],
    }
    const questions = [
      grid('g', { ...old, children: [row] }),
      { idname: 'net-promoter', id: 'n', children: [nps], grouped: true },
      text('t', { type: 'string', has_cols: false, required: false, appearance: 'full', cols: '' }, { width: 100 }),
    ]
    const top = { uniques: [], showBranchingInfo: false, jumping: false, languageDisplayStyle: 'dropdown', quotas: [] }
    expect(found({ ...survey([questions], top), name: 'S', firstPageTitleDescription: false })).toEqual([])
    expect(found(normaliseStructure(survey([questions], top)))).toEqual([])
  })

  test('returns no warning for the demo survey or any structure of known members', () => {
    expect(found(demoStructure)).toEqual([])
    fc.assert(
      fc.property(validStructure, (structure) => {
        const unknown = structureWarnings(structure).filter(({ code }) => code === 'unknown_member')
        expect(unknown).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('accepts any JSON and returns at most a hundred warnings', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void structureWarnings({ title: 'T', form: value })))
    const many = Array.from({ length: 500 }, (_, at) => ({ idname: 'text-response', id: `q${at}`, requird: true }))
    expect(found(survey([many]))).toHaveLength(100)
  })
})

describe('structureWarnings: piped answers', () => {
  const titled = (title: unknown) => ({ ...text('b'), title })
  const pages = (title: unknown) => survey([[text('a'), titled(title)], [text('c')]])
  const pointer = '/form/0/children/1/title'

  test.each(['Why {{ a }}?', { en: 'Why?', fr: 'Pourquoi {{ c }} ?' }, 'Really {{ b }}?'])(
    'reports a text that pipes an answer of the same or a later page: %j',
    (title) => {
      expect(structureWarnings(pages(title))).toMatchObject([{ pointer, code: 'piped_on_same_page' }])
    },
  )

  test.each(['Why {{ a | default: "this" }}?', '{{ invite.name }}', '{{ nobody }}', 'Why?'])(
    'returns no warning for a text that needs no answer of the same or a later page: %j',
    (title) => {
      expect(structureWarnings(pages(title))).toEqual([])
    },
  )

  test('returns no warning for an answer of an earlier page or of a hidden field', () => {
    const hidden = { idname: 'hidden-field', id: 'h', children: [{ type: 'hidden' }] }
    expect(structureWarnings(survey([[text('a')], [titled('{{ a }}')]]))).toEqual([])
    expect(structureWarnings(survey([[hidden, titled('{{ h }}')]]))).toEqual([])
  })
})
