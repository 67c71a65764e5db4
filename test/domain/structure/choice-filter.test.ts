import { describe, expect, test } from '@jest/globals'
import { fakeAnswers } from '../../../src/domain/response/fake-responses.ts'
import { evaluationWork } from '../../../src/domain/structure/answer-cache.ts'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { nextStep } from '../../../src/domain/structure/flow.ts'
import { numberStructure } from '../../../src/domain/structure/numbering.ts'
import { deadParts } from '../../../src/domain/structure/publishing/paths.ts'
import type { Answers } from '../../../src/domain/structure/questionnaire.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { answersOnPath, validateAnswers } from '../../../src/domain/structure/validate-answers.ts'
import { choicesOffered, evaluationOf } from '../../../src/domain/structure/visibility.ts'
import { structureWarnings } from '../../../src/domain/structure/warnings.ts'
import { cascade, cascadeSurvey } from '../../support/cascade.ts'
import fc from '../../support/fast-check.ts'
import { ask, compiled, single, survey, text } from './sample.ts'

type Json = Record<string, unknown>

const { country, region, town } = cascade()
const q = compiled(cascadeSurvey([[country], [region], [town], [text('end')]]))
const labels = (id: string, answers: Answers, of = q) =>
  choicesOffered(of, of.byId.get(id)!, answers).map(({ label }) => label.en)
const filtered = (option: Json, ...earlier: Json[]) => survey([[...earlier, single('b', option)]])
const byA = { choiceFilter: [{ question: 'a', attribute: 'a' }] }
const errorsOf = (structure: unknown) => checkStructure(structure).map(({ field, code }) => [field, code])

describe('filtered choices', () => {
  test('are those that match the earlier answers', () => {
    expect(labels('region', { country: 0 })).toEqual(['Bavaria', 'Saxony', 'Alps'])
    expect(labels('region', { country: 1 })).toEqual(['Tyrol', 'Alps'])
    expect(labels('town', { country: 0, region: 1 })).toEqual(['Dresden', 'Another town'])
  })

  test('are those without attributes, as long as the earlier question has no answer', () => {
    expect(labels('region', {})).toEqual([])
    expect(labels('town', {})).toEqual(['Another town'])
  })

  test('leave out a question without any choice, and its page', () => {
    expect(nextStep(q, 1, { country: 2 })).toEqual({ page: 3 })
    expect(nextStep(q, 1, { country: 1 })).toEqual({ page: 2 })
    const { region: needed } = cascade(true)
    expect(validateAnswers(compiled(cascadeSurvey([[country, needed]])), { country: 2 })).toEqual([])
  })

  test('are an error on a page if they do not match, and are off the path', () => {
    const answers = { country: 1, region: 0, town: [1, 2, 3], 'town\\other': 'Linz' }
    expect(validateAnswers(q, answers, { page: 2 })).toMatchObject([{ field: 'region', code: 'not_a_choice' }])
    expect(validateAnswers(q, answers, { page: 3 })).toMatchObject([{ field: 'town', code: 'not_a_choice' }])
    expect(validateAnswers(q, answers)).toEqual([])
    // Without a region on the path, only the choice without attributes is left.
    expect({ ...answersOnPath(q, answers) }).toEqual({ country: 1, town: [3], 'town\\other': 'Linz' })
  })

  test.each<[string, Json, Answers, string[]]>([
    [
      'several choices',
      ask('multiple-choice', 'a', {
        choices: [
          { label: 'X', code: 'x' },
          { label: 'Y', code: 'y' },
        ],
      }),
      { a: [0, 1] },
      ['is x', 'is y or 1'],
    ],
    ['positions of choices without codes', single('a'), { a: 0 }, ['is y or 1']],
    ['a text, whatever its letter case', text('a'), { a: ' X ' }, ['is x']],
    ['a hidden field', ask('hidden-field', 'a'), { a: 'x' }, ['is x']],
    ['a number', ask('number', 'a'), { a: 1 }, ['is y or 1']],
    ['a rating', ask('rating', 'a'), { a: 1 }, ['is y or 1']],
    ['yes', ask('boolean-choice', 'a'), { a: true }, ['is y or 1']],
    ['no', ask('boolean-choice', 'a'), { a: false }, []],
    ['a calculation', ask('calculation', 'a', { expression: '3 - 2' }), {}, ['is y or 1']],
    [
      'a row of a grid',
      { idname: 'dropdown-grid', id: 'a', choices: [{ label: 'X', code: 'x' }], children: [{ label: 'R' }] },
      { a_0: 0 },
      ['is x'],
    ],
    ['no answer', single('a'), {}, []],
  ])('can depend on %s', (_, earlier, answers, expected) => {
    const choices = [
      { label: 'is x', attributes: { a: 'x' } },
      { label: 'is y or 1', attributes: { a: ['y', 1] } },
      { label: 'is nothing', attributes: { a: '' } },
    ]
    expect(labels('b', answers, compiled(filtered({ choices, ...byA }, earlier)))).toEqual(expected)
  })

  test('equal those of a model that knows only codes and attributes', () => {
    const code = fc.constantFrom('x', 'y', 'z', '1', '2')
    const values = fc.option(fc.oneof(code, fc.array(code, { maxLength: 3 })), { nil: undefined })
    const list = (attributes: string[]) =>
      fc.uniqueArray(
        fc.record({ code, attributes: fc.record(Object.fromEntries(attributes.map((name) => [name, values]))) }),
        { minLength: 1, maxLength: 5, selector: ({ code }) => code },
      )
    const model = fc.record({
      a: list([]),
      b: list(['a']),
      c: list(['a', 'b']),
      isMultiple: fc.boolean(),
      answers: fc.record({ a: fc.nat(4), b: fc.nat(4), c: fc.nat(4) }, { requiredKeys: [] }),
    })
    fc.assert(
      fc.property(model, ({ a, b, c, isMultiple, answers: given }) => {
        const questionOf = (id: string, choices: Json[], filters: string[]) =>
          ask(isMultiple ? 'multiple-choice' : 'single-choice', id, {
            choices: choices.map((choice) => ({ label: String(choice.code), ...choice })),
            choiceFilter: filters.map((name) => ({ question: name, attribute: name })),
          })
        const structure = survey([
          [questionOf('a', a, [])],
          [questionOf('b', b, ['a']), questionOf('c', c, ['a', 'b'])],
        ])
        // A filter needs an attribute that some choice has.
        const isValid = [b, c].every((choices) =>
          Object.keys(choices[0]!.attributes).every((name) =>
            choices.some(({ attributes }) => (attributes as Json)[name] !== undefined),
          ),
        )
        const json = JSON.parse(JSON.stringify(structure))
        expect(checkStructure(json).length === 0).toBe(isValid)
        if (!isValid) return
        const lists = { a, b, c }
        const chosen: Record<string, string | undefined> = {}
        const answers: Record<string, number | number[]> = {}
        const expected: Record<string, string[]> = {}
        for (const id of ['a', 'b', 'c'] as const) {
          const isOffered = ({ attributes }: { attributes: Json }) =>
            Object.entries(attributes).every(
              ([name, value]) => value === undefined || [value].flat().some((one) => one === chosen[name]),
            )
          expected[id] = lists[id].filter(isOffered).map((choice) => choice.code)
          const index = given[id]
          const choice = index === undefined ? undefined : lists[id][index]
          if (!choice) continue
          answers[id] = isMultiple ? [index!] : index!
          if (isOffered(choice)) chosen[id] = choice.code
        }
        const compiledSurvey = compile(normaliseStructure(json))
        const found = Object.fromEntries(
          ['a', 'b', 'c'].map((id) => [
            id,
            choicesOffered(compiledSurvey, compiledSurvey.byId.get(id)!, answers).map((choice) => choice.code),
          ]),
        )
        expect(found).toEqual(expected)
        const kept = Object.entries(answers).filter(([id]) => chosen[id] !== undefined)
        expect({ ...answersOnPath(compiledSurvey, answers) }).toEqual(Object.fromEntries(kept))
        const visible = evaluationOf(compiledSurvey, answers)
          .visibleQuestions(2)
          .map(({ id }) => id)
        expect(visible).toEqual(['b', 'c'].filter((id) => expected[id]!.length > 0))
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 500) },
    )
  })
})

describe('deadParts', () => {
  test('knows that a required question without a choice is not answered', () => {
    const { country, region } = cascade(true)
    const whenUnanswered = { condition: { all: [{ question: 'region', op: 'unanswered' }] } }
    const unanswered = compiled(cascadeSurvey([[country], [region], [text('why', {}, whenUnanswered)]]))
    expect(deadParts(unanswered)).toEqual([])
  })
})

describe('fakeAnswers', () => {
  test('contain offered choices only, so a required question is answered', () => {
    const { country, region } = cascade(true)
    const both = compiled(cascadeSurvey([[country], [region]]))
    for (let seed = 0; seed < 50; seed += 1) {
      let state = seed
      const random = () => {
        state = (state * 1103515245 + 12345) % 2147483648
        return state / 2147483648
      }
      const answers = fakeAnswers(both, random)
      expect([answers, validateAnswers(both, answers)]).toEqual([answers, []])
    }
  })
})

describe('checkStructure: filters of choices', () => {
  const choices = [{ label: 'X', attributes: { a: 'x' } }]
  const at = '/form/0/children/1/children/0'
  test.each<[string, unknown, [string, string][]]>([
    [
      'a later question',
      survey([[single('b', { choices, ...byA }), single('a')]]),
      [['/form/0/children/0/children/0/choiceFilter/0/question', 'out_of_reach']],
    ],
    [
      'itself',
      survey([[single('a', { choices, ...byA })]]),
      [['/form/0/children/0/children/0/choiceFilter/0/question', 'out_of_reach']],
    ],
    [
      'an unknown question',
      survey([[single('b', { choices, ...byA })]]),
      [['/form/0/children/0/children/0/choiceFilter/0/question', 'unknown_question']],
    ],
    [
      'a text',
      filtered({ choices, ...byA }, ask('section-separator', 'a')),
      [[`${at}/choiceFilter/0/question`, 'not_answerable']],
    ],
    [
      'a ranking',
      filtered({ choices, ...byA }, ask('ranking', 'a', { choices })),
      [[`${at}/choiceFilter/0/question`, 'not_answerable']],
    ],
    [
      'an attribute that no choice has',
      filtered({ choiceFilter: [{ question: 'a', attribute: 'z' }], choices }, single('a')),
      [[`${at}/choiceFilter/0/attribute`, 'invalid_value']],
    ],
    [
      'no attribute',
      filtered({ choiceFilter: [{ question: 'a' }], choices }, single('a')),
      [[`${at}/choiceFilter/0/attribute`, 'invalid_type']],
    ],
    [
      'a filter that is no list',
      filtered({ choiceFilter: {}, choices }, single('a')),
      [[`${at}/choiceFilter`, 'invalid_type']],
    ],
    [
      'too many filters',
      filtered({ choiceFilter: Array(11).fill(byA.choiceFilter[0]), choices }, single('a')),
      [[`${at}/choiceFilter`, 'too_many']],
    ],
    [
      'a ranking with a filter',
      survey([[single('a'), ask('ranking', 'b', { choices, ...byA })]]),
      [[`${at}/choiceFilter`, 'not_allowed']],
    ],
    [
      'a grid with a filter',
      survey([[single('a'), { idname: 'dropdown-grid', id: 'b', choices, children: [{ label: 'R' }], ...byA }]]),
      [['/form/0/children/1/choiceFilter', 'not_allowed']],
    ],
    [
      'attributes that are no object',
      filtered({ choices: [{ label: 'X', attributes: 'x' }] }),
      [['/form/0/children/0/children/0/choices/0/attributes', 'invalid_type']],
    ],
    [
      'an attribute that is an object',
      filtered({ choices: [{ label: 'X', attributes: { a: {} } }] }),
      [['/form/0/children/0/children/0/choices/0/attributes/a', 'invalid_type']],
    ],
    [
      'an attribute without a name',
      filtered({ choices: [{ label: 'X', attributes: { ' ': 'x' } }] }),
      [['/form/0/children/0/children/0/choices/0/attributes/ ', 'invalid_name']],
    ],
  ])('refuses %s', (_, structure, expected) => expect(errorsOf(structure)).toEqual(expected))

  test('counts the values of all choices that filters compare', () => {
    const states = Array.from({ length: 50 }, (_, index) => ({ label: `s${index}`, code: `s${index}` }))
    const counties = Array.from({ length: 1000 }, (_, index) => ({
      label: `c${index}`,
      attributes: { a: `s${index % 50}` },
    }))
    const questions = (count: number) =>
      Array.from({ length: count }, (_, index) => single(`b${index}`, { choices: counties, ...byA }))
    const sized = (count: number) =>
      survey([[single('a', { choices: states })], ...questions(count).map((one) => [one])])
    expect(errorsOf(sized(99))).toEqual([])
    expect(errorsOf(sized(100))).toEqual([['/form/100/children/0/children/0/choiceFilter/0', 'too_complex']])
    const large = compiled(sized(99))
    const before = evaluationWork.comparisons
    const evaluation = evaluationOf(large, { a: 7 })
    evaluation.answersOnPath()
    expect(evaluation.offeredChoices(large.byId.get('b98')!)).toHaveLength(20)
    expect(evaluationWork.comparisons - before).toBe(99_000)
  })
})

describe('a choice that can never be shown', () => {
  const warnings = (structure: unknown) => structureWarnings(structure).map(({ code, pointer }) => [code, pointer])
  test('is a warning', () => {
    expect(warnings(cascadeSurvey([[country, region, town]]))).toEqual([])
    const withChoice = (question: Json, choice: Json) => {
      const [option] = question.children as Json[]
      return { ...question, children: [{ ...option, choices: [...(option!.choices as Json[]), choice] }] }
    }
    const lost = withChoice(region, { label: 'Lapland', attributes: { country: 'fi' } })
    expect(warnings(cascadeSurvey([[country, lost]]))).toEqual([
      ['choice_never_shown', '/form/0/children/1/children/0/choices/4'],
    ])
    // Bavaria is not in Austria.
    const wrong = withChoice(town, { label: 'Linz', attributes: { country: 'at', region: 'by' } })
    expect(warnings(cascadeSurvey([[country, region, wrong]]))).toEqual([
      ['choice_never_shown', '/form/0/children/2/children/0/choices/4'],
    ])
    const byPosition = {
      choices: [
        { label: 'X', attributes: { a: 3 } },
        { label: 'Y', attributes: { a: 4 } },
      ],
      ...byA,
    }
    expect(warnings(filtered(byPosition, single('a')))).toEqual([
      ['choice_never_shown', '/form/0/children/1/children/0/choices/1'],
    ])
  })
})

describe('numberStructure', () => {
  const codesOf = ({ form }: { form: readonly { children: readonly Json[] }[] }) =>
    ((form[0]!.children[0]!.children as Json[])[0]!.choices as Json[]).map(({ label, code }) => [
      (label as Json).en,
      code,
    ])
  const withStates = (...states: Json[]) =>
    normaliseStructure(
      filtered({ choices: [{ label: 'X', attributes: { a: 2 } }], ...byA }, single('a', { choices: states })),
    )

  test('writes the codes by which attributes name choices, and keeps them', () => {
    const first = numberStructure(withStates({ label: 'R' }, { label: 'G' }, { label: 'B', code: '2' }))
    expect(codesOf(first.structure)).toEqual([
      ['R', '1'],
      ['G', '4'],
      ['B', '2'],
    ])
    const [red, green] = (first.structure.form[0]!.children[0]!.children[0]!.choices ?? []) as Json[]
    const second = numberStructure(withStates({ label: 'New' }, green!, red!), first)
    expect(codesOf(second.structure)).toEqual([
      ['New', '5'],
      ['G', '4'],
      ['R', '1'],
    ])
    // The code of a removed choice is not used again.
    const third = numberStructure(withStates({ label: 'R', code: '9' }, { label: 'H' }), second)
    expect(codesOf(third.structure)).toEqual([
      ['R', '9'],
      ['H', '3'],
    ])
  })

  test('writes no codes for choices that no filter names', () => {
    const { structure } = numberStructure(normaliseStructure(survey([[single('a'), text('b')]])))
    expect(codesOf(structure).map(([, code]) => code)).toEqual([undefined, undefined, undefined])
  })
})
