import { describe, expect, test } from '@jest/globals'
import { compile } from '../../../src/domain/structure/compile.ts'
import { parseAnswers } from '../../../src/domain/structure/parse-answers.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { choices, compiled, everything, multi, single, survey } from './sample.ts'

const q = everything()
const read = (raw: Record<string, unknown>) => parseAnswers(q, raw, 'strict')
const stored = (key: string, value: unknown) => {
  const { answers, errors } = read({ [key]: value })
  expect(errors).toEqual([])
  return { ...answers }
}
const expectRejected = (key: string, value: unknown, message: unknown = expect.any(String)) => {
  const { answers, errors } = read({ [key]: value })
  expect({ ...answers }).toEqual({})
  expect(errors).toMatchObject([{ field: key, message }])
}

describe('parseAnswers: keys', () => {
  test('accepts identifiers as keys, and uses the ID if a submission contains both keys of a question', () => {
    expect(stored('full_name', 'Ada')).toEqual({ name: 'Ada' })
    expect(stored('hue\\other', 'Teal')).toEqual({ 'colour\\other': 'Teal' })
    expect({ ...read({ full_name: 'A', name: 'B' }).answers }).toEqual({ name: 'B' })
  })
  test('reports unknown keys in strict mode and ignores them in lenient mode', () => {
    const raw = { zz: 1, 'size\\other': 'x', rate: 1, rate_9: 1, intro: 'x', odd: 'x', constructor: 'x', name: 'Ada' }
    expect(
      read(raw)
        .errors.map(({ field }) => field)
        .sort(),
    ).toEqual(
      Object.keys(raw)
        .filter((key) => key !== 'name')
        .sort(),
    )
    expect(read({ zz: 1 }).errors[0]!.message).toContain('is not a question')
    expect(read({ rate: 1 }).errors[0]!.message).toContain('rate_0 to rate_1')
    const lenient = parseAnswers(q, raw, 'lenient')
    expect(lenient.errors).toEqual([])
    expect({ ...lenient.answers }).toEqual({ name: 'Ada' })
  })
  test('treats names of the object prototype as ordinary keys', () => {
    const raw = JSON.parse('{"__proto__": {"polluted": 1}, "toString": "x"}')
    expect(read(raw).errors).toHaveLength(2)
    expect(Object.getPrototypeOf(read({}).answers)).toBeNull()
    expect(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted')).toBeUndefined()
    const own = compiled(survey([[single('constructor')]]))
    expect(parseAnswers(own, { constructor: '1' }, 'strict').answers.constructor).toBe(1)
  })
  test('reports keys with empty values as cleared', () => {
    expect(read({ name: '', colour: null, drinks: [], order: [''], size: undefined }).cleared).toEqual([
      'name',
      'colour',
      'drinks',
      'order',
    ])
  })
  test('returns at most a hundred errors', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, 1]))
    expect(read(many).errors).toHaveLength(100)
  })
})

describe('parseAnswers: text', () => {
  test('keeps text unchanged and converts numbers to text', () => {
    expect(stored('name', ' Ada\n')).toEqual({ name: ' Ada\n' })
    expect(stored('name', 7)).toEqual({ name: '7' })
    expect(stored('name', ['Ada'])).toEqual({ name: 'Ada' })
    expect(stored('notes_1', 'x')).toEqual({ notes_1: 'x' })
    expect(stored('source', 'mail')).toEqual({ source: 'mail' })
  })
  test.each([[{}], [['a', 'b']], ['a\0b'], ['\ud800'], ['x'.repeat(100_001)]])(
    'rejects invalid text, example %#',
    (value) => {
      expectRejected('name', value)
    },
  )
  test('accepts a text of 100,000 characters', () => {
    expect(stored('name', 'x'.repeat(100_000)).name).toHaveLength(100_000)
  })
})

describe('parseAnswers: one choice', () => {
  test.each([[1], ['1'], [' 1 '], ['Green'], [['1']]])('reads %j as the second choice', (value) => {
    expect(stored('colour', value)).toEqual({ colour: 1 })
  })
  test.each([[3], [-1], [1.5], ['3'], ['green grass'], [true], [{}], [['1', '2']]])(
    'rejects %j as a choice',
    (value) => {
      expectRejected('colour', value)
    },
  )
  test('returns the error message that the specification requires', () =>
    expectRejected('colour', '9', '"9" is not a valid choice for the field.'))
  test('reads choices of grids and dropdowns', () => {
    expect(stored('rate_0', 'Good')).toEqual({ rate_0: 2 })
    expect(stored('level_0', '1')).toEqual({ level_0: 1 })
    expect(stored('size', 'L')).toEqual({ size: 2 })
    expectRejected('rate_1', 7)
  })
  test('accepts a label in any language if only one choice has this label', () => {
    const two = compiled(survey([[single('a', choices({ label: { en: 'Cat', fr: 'Chat' } }, 'Dog', 'Dog'))]]))
    expect({ ...parseAnswers(two, { a: 'Chat' }, 'strict').answers }).toEqual({ a: 0 })
    expect(parseAnswers(two, { a: 'Dog' }, 'strict').errors).toHaveLength(1)
  })
  test('reads a text that is both an index and a label as an index, and then rejects numeric labels that are no index', () => {
    const stars = compiled(survey([[single('a', choices('1', '2', '3')), single('b', choices('2019', '2020'))]]))
    expect({ ...parseAnswers(stars, { a: '1', b: '2020' }, 'strict').answers }).toEqual({ a: 1, b: 1 })
    expect(parseAnswers(stars, { a: '3' }, 'strict').errors).toHaveLength(1)
  })
})

describe('parseAnswers: several choices', () => {
  test.each([[[2, 0]], [['0', '2']], ['0,2'], ['2, 0, 2'], ['[0,2]'], [['[2,0]']], ['Tea,Water'], [['Tea', '2', '']]])(
    'reads %j as the first and the third choice',
    (value) => expect(stored('drinks', value)).toEqual({ drinks: [0, 2] }),
  )
  test('does not split a label that contains a comma', () => {
    const comma = compiled(survey([[multi('a', choices('Tea, hot', 'Tea'))]]))
    expect({ ...parseAnswers(comma, { a: 'Tea, hot' }, 'strict').answers }).toEqual({ a: [0] })
  })
  test.each([[[0, 3]], ['0,9'], ['[0'], ['{"a":1}'], [{ 0: true }], [true]])('rejects %j as choices', (value) =>
    expectRejected('drinks', value),
  )
  test('reads the columns of an export in which each column states whether one choice is selected', () => {
    expect({ ...read({ 'drinks\\0': '1', 'drinks\\1': '0', 'drinks\\2': 'Water' }).answers }).toEqual({
      drinks: [0, 2],
    })
    expect({ ...read({ 'drinks\\0': 'true', 'drinks\\1': '', 'drinks\\2': '2' }).answers }).toEqual({ drinks: [0, 2] })
    expect({ ...read({ 'drinks\\0': '0', 'drinks\\1': '' }).answers }).toEqual({ drinks: [0] })
    expect(read({ 'drinks\\0': 'no', 'drinks\\1': '0' })).toMatchObject({ cleared: ['drinks'], errors: [] })
    expect(read({ 'drinks\\0': 'perhaps' }).errors).toMatchObject([{ field: 'drinks' }])
    expect({ ...read({ drinks: '1', 'drinks\\0': '1' }).answers }).toEqual({ drinks: [1] })
  })
})

describe('parseAnswers: boolean', () => {
  test.each([[true], [1], ['1'], ['true'], ['Yes'], ['on'], ['TRUE'], ['Oui']])('reads %j as yes', (value) => {
    expect(stored('again', value)).toEqual({ again: true })
  })
  test.each([[false], [0], ['0'], ['no'], ['off'], ['Nein']])('reads %j as no', (value) => {
    expect(stored('again', value)).toEqual({ again: false })
  })
  test.each([['maybe'], [2], [{}]])('rejects %j as a boolean', (value) => expectRejected('again', value))
  test("prefers the author's labels to words such as yes and no", () => {
    const own = compiled(survey([[{ idname: 'boolean-choice', id: 'a', children: [choices('Off', 'On')] }]]))
    expect({ ...parseAnswers(own, { a: 'On' }, 'strict').answers }).toEqual({ a: false })
  })
})

describe('parseAnswers: datetime', () => {
  test.each([
    ['when', '2024-02-29T10:00'],
    ['when', '2024-02-29T10:00:59.5Z'],
    ['when', '2024-02-29T10:00:00+05:30'],
    ['when', '2024-02-29'],
    ['day', '2000-02-29'],
    ['hour', '23:59'],
    ['hour', '00:00:01'],
  ])('accepts for the question “%s” the value %s', (key, value) => expect(stored(key, value)).toEqual({ [key]: value }))
  test('replaces a space with the T of ISO 8601', () =>
    expect(stored('when', '2024-01-01 08:00')).toEqual({ when: '2024-01-01T08:00' }))
  test.each([
    ['when', '10:00'],
    ['when', 'tomorrow'],
    ['when', '2024-13-01T00:00'],
    ['when', 1_700_000_000],
    ['day', '2023-02-29'],
    ['day', '1900-02-29'],
    ['day', '2024-04-31'],
    ['day', '2024-01-01T00:00'],
    ['day', '01/02/2024'],
    ['hour', '24:00'],
    ['hour', '12:60'],
    ['hour', '2024-01-01'],
  ])('rejects for the question “%s” the value %s', (key, value) => expectRejected(key, value))
})

describe('parseAnswers: ranking', () => {
  test.each([[[2, 0]], ['2,0'], [['2', '', '0']], ['Three,One']])('keeps the order of %j', (value) => {
    expect(stored('order', value)).toEqual({ order: [2, 0] })
  })
  test.each([[[1, 1]], [[0, 3]], ['0,0']])('rejects the ranking %j', (value) => expectRejected('order', value))
})

describe('parseAnswers: net-promoter questions and texts of “other” choices', () => {
  test.each([
    [0, 0],
    ['10', 10],
    [7, 7],
  ])('stores the rating %j as %j', (value, number) => expect(stored('nps', value)).toEqual({ nps: number }))
  test.each([[11], ['-1'], ['7.5'], ['high']])('rejects the rating %j', (value) => expectRejected('nps', value))
  test('stores the text of an “other” choice under its own key', () => {
    expect({ ...read({ colour: 2, 'colour\\other': 'Teal' }).answers }).toEqual({ colour: 2, 'colour\\other': 'Teal' })
  })
})

test('parseAnswers stores true for a consent question that has no texts', () => {
  const untitled = compile(
    normaliseStructure({ form: [{ children: [{ idname: 'consent', id: 'terms', children: [{}] }] }] }),
  )
  expect({ ...parseAnswers(untitled, { terms: true }, 'strict').answers }).toEqual({ terms: true })
})
