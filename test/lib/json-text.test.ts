import { describe, expect, test } from '@jest/globals'
import { duplicateMembers, rangeFinder, syntaxErrorsOf } from '../../src/lib/json.ts'

const text = `{
  "title": "Tea",
  "form": [
    { "type": "page", "children": [
      { "idname": "text-response", "a/b~c": 12 }
    ] }
  ]
}`

describe('rangeFinder', () => {
  const find = rangeFinder(text)
  const valueAt = (pointer: string) => {
    const { from, to, line, column } = find(pointer)
    return [text.slice(from, to), line, column]
  }

  test('returns the value at a pointer with its line and column', () => {
    expect(valueAt('/title')).toEqual(['"Tea"', 2, 12])
    expect(valueAt('/form/0/children/0/idname')).toEqual(['"text-response"', 5, 19])
    expect(valueAt('/form/0/children/0/a~1b~0c')).toEqual(['12', 5, 45])
  })

  test('returns the opening bracket of an object or array', () => {
    expect(valueAt('')).toEqual(['{', 1, 1])
    expect(valueAt('/form/0/children')).toEqual(['[', 4, 35])
  })

  test('returns the parent of a missing value', () => {
    expect(valueAt('/form/0/children/0/id')).toEqual(valueAt('/form/0/children/0'))
    expect(valueAt('/form/9/children/0')).toEqual(valueAt('/form'))
    expect(valueAt('/form/x')).toEqual(valueAt('/form'))
    expect(valueAt('/title/en')).toEqual(valueAt('/title'))
  })

  test('returns the last of several members with the same name, which takes effect', () => {
    expect(rangeFinder('{\n"a": 1,\n"a": 2 }')('/a').line).toBe(3)
  })

  test('returns the start of a text that is nested too deeply', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    expect(rangeFinder(deep)('/0/0')).toEqual({ from: 0, to: 0, line: 1, column: 1 })
  })
})

describe('syntaxErrorsOf', () => {
  const errors = (broken: string) => syntaxErrorsOf(broken).map(({ line, column, message }) => [line, column, message])

  test('returns no errors for valid JSON', () => {
    for (const valid of [text, 'null', '"\\u0041"', '[1, 2.5e3]']) expect(syntaxErrorsOf(valid)).toEqual([])
  })

  test.each([
    ['a missing comma', '{\n"a": 1\n"b": 2 }', [3, 1, 'Expected a comma before this.']],
    [
      'a comma after the last value',
      '{\n"a": [1,\n] }',
      [3, 1, 'Expected a value. Remove the comma after the last value.'],
    ],
    ['an unclosed object', '{ "a": 1', [1, 9, 'Expected a closing }.']],
    ['an unclosed string', '{\n  "a": "b\n}', [2, 8, 'Expected a closing quotation mark.']],
    ['an unquoted string', '{ "a": yes }', [1, 8, 'Invalid value. Strings must be in double quotes.']],
    ['a comment', '// hello\n1', [1, 1, 'Comments are not allowed in JSON.']],
    ['two values', '1\n2', [2, 1, 'Expected the end of the text before this.']],
  ])('reports %s with its position', (_, broken, expected) => {
    expect(errors(broken)[0]).toEqual(expected)
  })

  test('returns an error for every text that JSON.parse rejects, including the empty text', () => {
    for (const broken of [
      '',
      ' ',
      '\u00a0',
      '\ufeff{}',
      "{'a': 1}",
      '{"a": 01}',
      '"\u0001"',
      '{"a"}',
      '[1,,2]',
      'NaN',
      '+1',
    ])
      expect([broken, syntaxErrorsOf(broken).length > 0]).toEqual([broken, true])
  })
})

describe('duplicateMembers', () => {
  test('returns each repeated member with its position', () => {
    expect(duplicateMembers('{ "a": 1, "b": { "a": 2 },\n "a": 3 }')).toMatchObject([
      {
        message: 'Duplicate member: "a". Remove or rename one of them.',
        from: 28,
        to: 31,
        line: 2,
        column: 2,
      },
    ])
    expect(duplicateMembers(text)).toEqual([])
  })
})
