import { describe, expect, test } from '@jest/globals'
import { readAnswers } from '../../../src/domain/structure/answers.ts'
import { choices, compiled, everything, multi, single, survey } from './sample.ts'

const q = everything()
const read = (raw: Record<string, unknown>) => readAnswers(q, raw, 'strict')
const stored = (key: string, value: unknown) => {
  const { answers, errors } = read({ [key]: value })
  expect(errors).toEqual([])
  return { ...answers }
}
const refused = (key: string, value: unknown, message: unknown = expect.any(String)) => {
  const { answers, errors } = read({ [key]: value })
  expect({ ...answers }).toEqual({})
  expect(errors).toMatchObject([{ field: key, message }])
}

describe('keys', () => {
  test('an identifier stands for its question, the id wins', () => {
    expect(stored('full_name', 'Ada')).toEqual({ name: 'Ada' })
    expect(stored('hue\\other', 'Teal')).toEqual({ 'colour\\other': 'Teal' })
    expect({ ...read({ full_name: 'A', name: 'B' }).answers }).toEqual({ name: 'B' })
  })
  test('unknown ones are errors when strict, and passed over when lenient', () => {
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
    const lenient = readAnswers(q, raw, 'lenient')
    expect(lenient.errors).toEqual([])
    expect({ ...lenient.answers }).toEqual({ name: 'Ada' })
  })
  test('prototype names are names like others', () => {
    const raw = JSON.parse('{"__proto__": {"polluted": 1}, "toString": "x"}')
    expect(read(raw).errors).toHaveLength(2)
    expect(Object.getPrototypeOf(read({}).answers)).toBeNull()
    expect(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted')).toBeUndefined()
    const own = compiled(survey([[single('constructor')]]))
    expect(readAnswers(own, { constructor: '1' }, 'strict').answers.constructor).toBe(1)
  })
  test('what is sent empty is cleared', () => {
    expect(read({ name: '', colour: null, drinks: [], order: [''], size: undefined }).cleared).toEqual([
      'name',
      'colour',
      'drinks',
      'order',
    ])
  })
  test('no more than a hundred errors', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, 1]))
    expect(read(many).errors).toHaveLength(100)
  })
})

describe('text', () => {
  test('is kept as it is; numbers and booleans become text', () => {
    expect(stored('name', ' Ada\n')).toEqual({ name: ' Ada\n' })
    expect(stored('name', 7)).toEqual({ name: '7' })
    expect(stored('name', ['Ada'])).toEqual({ name: 'Ada' })
    expect(stored('notes_1', 'x')).toEqual({ notes_1: 'x' })
    expect(stored('source', 'mail')).toEqual({ source: 'mail' })
  })
  test.each([[{}], [['a', 'b']], ['a\0b'], ['\ud800'], ['x'.repeat(100_001)]])(
    'refuses what cannot be one: %#',
    (value) => {
      refused('name', value)
    },
  )
  test('a hundred thousand characters are enough', () => {
    expect(stored('name', 'x'.repeat(100_000)).name).toHaveLength(100_000)
  })
})

describe('one choice', () => {
  test.each([[1], ['1'], [' 1 '], ['Green'], [['1']]])('%j is the second', (value) => {
    expect(stored('colour', value)).toEqual({ colour: 1 })
  })
  test.each([[3], [-1], [1.5], ['3'], ['green grass'], [true], [{}], [['1', '2']]])('%j is none', (value) => {
    refused('colour', value)
  })
  test('says so in the words of the specification', () =>
    refused('colour', '9', '"9" is not a valid choice for the field.'))
  test('grids and dropdowns alike', () => {
    expect(stored('rate_0', 'Good')).toEqual({ rate_0: 2 })
    expect(stored('level_0', '1')).toEqual({ level_0: 1 })
    expect(stored('size', 'L')).toEqual({ size: 2 })
    refused('rate_1', 7)
  })
  test('a label in any language where it names one choice', () => {
    const two = compiled(survey([[single('a', choices({ label: { en: 'Cat', fr: 'Chat' } }, 'Dog', 'Dog'))]]))
    expect({ ...readAnswers(two, { a: 'Chat' }, 'strict').answers }).toEqual({ a: 0 })
    expect(readAnswers(two, { a: 'Dog' }, 'strict').errors).toHaveLength(1)
  })
  test('numeric labels never compete with indices', () => {
    const stars = compiled(survey([[single('a', choices('1', '2', '3')), single('b', choices('2019', '2020'))]]))
    expect({ ...readAnswers(stars, { a: '1', b: '2020' }, 'strict').answers }).toEqual({ a: 1, b: 1 })
    expect(readAnswers(stars, { a: '3' }, 'strict').errors).toHaveLength(1)
  })
})

describe('several choices', () => {
  test.each([[[2, 0]], [['0', '2']], ['0,2'], ['2, 0, 2'], ['[0,2]'], [['[2,0]']], ['Tea,Water'], [['Tea', '2', '']]])(
    '%j are the first and the third',
    (value) => expect(stored('drinks', value)).toEqual({ drinks: [0, 2] }),
  )
  test('a label with a comma is one label', () => {
    const comma = compiled(survey([[multi('a', choices('Tea, hot', 'Tea'))]]))
    expect({ ...readAnswers(comma, { a: 'Tea, hot' }, 'strict').answers }).toEqual({ a: [0] })
  })
  test.each([[[0, 3]], ['0,9'], ['[0'], ['{"a":1}'], [{ 0: true }], [true]])('%j are not', (value) =>
    refused('drinks', value),
  )
  test('columns as export names them tick single choices', () => {
    expect({ ...read({ 'drinks\\0': '1', 'drinks\\1': '0', 'drinks\\2': 'Water' }).answers }).toEqual({
      drinks: [0, 2],
    })
    expect({ ...read({ 'drinks\\0': 'true', 'drinks\\1': '', 'drinks\\2': '2' }).answers }).toEqual({ drinks: [0, 2] })
    expect(read({ 'drinks\\0': '0', 'drinks\\1': '' })).toMatchObject({ cleared: ['drinks'], errors: [] })
    expect(read({ 'drinks\\0': 'perhaps' }).errors).toMatchObject([{ field: 'drinks' }])
    expect({ ...read({ drinks: '1', 'drinks\\0': '1' }).answers }).toEqual({ drinks: [1] })
  })
})

describe('a boolean', () => {
  test.each([[true], [1], ['1'], ['true'], ['Yes'], ['on'], ['TRUE'], ['Oui']])('%j is yes', (value) => {
    expect(stored('again', value)).toEqual({ again: true })
  })
  test.each([[false], [0], ['0'], ['no'], ['off'], ['Nein']])('%j is no', (value) => {
    expect(stored('again', value)).toEqual({ again: false })
  })
  test.each([['maybe'], [2], [{}]])('%j is neither', (value) => refused('again', value))
  test("the author's labels come first", () => {
    const own = compiled(survey([[{ idname: 'boolean-choice', id: 'a', children: [choices('Off', 'On')] }]]))
    expect({ ...readAnswers(own, { a: 'On' }, 'strict').answers }).toEqual({ a: false })
  })
})

describe('a datetime', () => {
  test.each([
    ['when', '2024-02-29T10:00'],
    ['when', '2024-02-29T10:00:59.5Z'],
    ['when', '2024-02-29T10:00:00+05:30'],
    ['when', '2024-02-29'],
    ['day', '2000-02-29'],
    ['hour', '23:59'],
    ['hour', '00:00:01'],
  ])('%s takes %s', (key, value) => expect(stored(key, value)).toEqual({ [key]: value }))
  test('a space becomes the T of ISO 8601', () =>
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
  ])('%s refuses %s', (key, value) => refused(key, value))
})

describe('a ranking', () => {
  test.each([[[2, 0]], ['2,0'], [['2', '', '0']], ['Three,One']])('%j keeps its order', (value) => {
    expect(stored('order', value)).toEqual({ order: [2, 0] })
  })
  test.each([[[1, 1]], [[0, 3]], ['0,0']])('%j is refused', (value) => refused('order', value))
})

describe('net-promoter and other texts', () => {
  test.each([
    [0, 0],
    ['10', 10],
    [7, 7],
  ])('%j is stored as %j', (value, number) => expect(stored('nps', value)).toEqual({ nps: number }))
  test.each([[11], ['-1'], ['7.5'], ['high']])('%j is refused', (value) => refused('nps', value))
  test('the other text comes with its own key', () => {
    expect({ ...read({ colour: 2, 'colour\\other': 'Teal' }).answers }).toEqual({ colour: 2, 'colour\\other': 'Teal' })
  })
})
