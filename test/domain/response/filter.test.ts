import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../src/domain/problem.ts'
import { parseFilters, printCondition, printFilters } from '../../../src/domain/response/filter/filter.ts'
import { questionnaire as q } from '../../support/colours.ts'
import fc from '../../support/fast-check.ts'

const PARAMETERS = new Set(['page', 'include_labels'])
const strict = (search: string) => parseFilters(search, q, 'strict', PARAMETERS)
const lenient = (search: string) => parseFilters(search, q, 'lenient', PARAMETERS)
const split = (search: string) => strict(search).map(({ name, operator, value }) => [name, operator, value])

function invalidFieldsOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ field }) => field)
    throw error
  }
  return []
}

describe('parseFilters: operators', () => {
  test.each([
    ['_created_at>2024-01-31', '>'],
    ['_created_at<2024-01-31', '<'],
    ['_created_at=2024-01-31', '='],
    ['_created_at>=2024-01-31', '>='],
    ['_created_at<=2024-01-31', '<='],
    ['_created_at%3E2024-01-31', '>'],
    ['_created_at%3c2024-01-31', '<'],
    ['_created_at%3D2024-01-31', '='],
    ['_created_at%3E=2024-01-31', '>='],
    ['_created_at%3C%3D2024-01-31', '<='],
  ])('parses the operator of %s as %s', (search, operator) => {
    expect(split(search)).toEqual([['_created_at', operator, '2024-01-31']])
  })

  test('keeps an encoded operator in a value', () => {
    expect(split('name=a%3Eb%3Dc')).toEqual([['name', '=', 'a>b=c']])
  })

  test('finds a question whose id contains an operator', () => {
    expect(split('a%3Db=x')).toEqual([['a=b', '=', 'x']])
  })
})

describe('parseFilters: names', () => {
  test.each(['_id=1', 'name=x', 'who=x', 'one=1', 'grid=1', 'grid_0=1', 'one%5Cother=x', 'many%5C0=1', 'a%3Db=x'])(
    'accepts %s',
    (search) => {
      expect(strict(search)).toHaveLength(1)
    },
  )

  test('ignores query parameters that belong to the operation and are not filters', () => {
    expect(strict('?page=2&include_labels&one=1&')).toHaveLength(1)
  })

  test('rejects an unknown name in strict mode and ignores it in lenient mode', () => {
    expect(invalidFieldsOf(() => strict('nothing=1&one=1&more>2'))).toEqual(['nothing', 'more'])
    expect(lenient('nothing=1&one=1&more')).toHaveLength(1)
  })
})

describe('parseFilters: values', () => {
  test.each([
    '_created_at>yesterday',
    '_created_at=2024-02-30',
    '_updated_at=',
    '_completed=7',
    '_completed>x',
    '_id=1.5',
    '_id=99999999999999999999999',
    '_key=12',
    '_weighted_score>high',
    '_invite_code>A',
    'name=%00',
    'name>x',
    'many>1',
    'sure<1',
    'when=soon',
    'intro=1',
    'one',
  ])('rejects %s in both modes', (search) => {
    const name = /^\w+/.exec(search)![0]
    expect(invalidFieldsOf(() => strict(search))).toEqual([name])
    expect(invalidFieldsOf(() => lenient(search))).toEqual([name])
  })

  test('decodes + as a space and keeps invalid encodings', () => {
    expect(split('name=a+b&name=%zz')).toEqual([
      ['name', '=', 'a b'],
      ['name', '=', '%zz'],
    ])
  })

  test.each([
    ['2024-01-31', '2024-01-31T00:00:00.000Z', 86_400_000],
    ['2024-01-31T10:15', '2024-01-31T10:15:00.000Z', 60_000],
    ['2024-01-31 10:15:07', '2024-01-31T10:15:07.000Z', 1_000],
    ['2024-01-31T10:15:07.25Z', '2024-01-31T10:15:07.250Z', 1],
    ['2024-01-31T10:15:00+02:00', '2024-01-31T08:15:00.000Z', 1_000],
    ['2024-01-31T10:15%2B02:00', '2024-01-31T08:15:00.000Z', 60_000],
  ])('parses %s as the period that begins at %s and lasts %d ms', (value, from, durationMs) => {
    const start = Date.parse(from)
    expect(strict(`_created_at=${value}`)[0]!.test).toMatchObject({ from: start, before: start + durationMs })
  })

  test('accepts a choice by index and by label in any language', () => {
    const values = (search: string) => (strict(search)[0]!.test as { values?: unknown[] }).values
    expect(values('one=1')).toEqual(['1', 1])
    expect(values('one=Rouge')).toEqual(['Rouge', 0])
    expect(values('sure=Yes')).toEqual(['Yes', true])
    expect(values('one=7')).toEqual(['7', 7])
  })
})

test.each([
  ['name~onion', 'name', 'onion'],
  ['name~=onion', 'name', 'onion'],
  ['name%7Eonion', 'name', 'onion'],
  ['name%7E%3Donion', 'name', 'onion'],
  ['who~red+onion', 'who', 'red onion'],
  ['one\\other~a=b', 'one\\other', 'a=b'],
])('parseFilters parses %s as a search of the answers to %s for “%s”', (search, name, value) => {
  expect(strict(search)).toMatchObject([{ name, operator: '~', value, test: { kind: 'contains', text: value } }])
})

test.each(['one~Red', 'nps~1', '_created_at~2024', '_id~1', 'name~'])(
  'parseFilters rejects %s, which cannot be searched',
  (search) => {
    expect(() => strict(search)).toThrow(/cannot be searched with ~|requires a text to search for/)
  },
)

test('parseFilters parses the result of printFilters to the same filters', () => {
  const name = fc.constantFrom('name', 'who', 'a=b', 'one\\other')
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(name, fc.constantFrom<'=' | '~'>('=', '~'), text), { selector: String }),
      (all) => {
        const pairs = all.filter(([, operator, value]) => operator === '=' || value !== '')
        const filters = strict(
          pairs.map(([key, operator, value]) => printCondition({ name: key, operator, value })).join('&'),
        )
        expect(filters.map(({ name: key, operator, value }) => [key, operator, value])).toEqual(pairs)
        expect(strict(printFilters(filters))).toEqual(filters)
      },
    ),
  )
})
