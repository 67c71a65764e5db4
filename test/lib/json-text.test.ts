import { describe, expect, test } from '@jest/globals'
import { rangeFinder } from '../../src/lib/json-pointer.ts'
import { duplicateMembers, syntaxErrorsOf } from '../../src/lib/json-syntax.ts'

const text = `{
  "title": "Tea",
  "form": [
    { "type": "page", "children": [
      { "idname": "text-response", "a/b~c": 12 }
    ] }
  ]
}`

describe('a place in a JSON text', () => {
  const find = rangeFinder(text)
  const marked = (pointer: string) => {
    const { from, to, line, column } = find(pointer)
    return [text.slice(from, to), line, column]
  }

  test('is found by pointer, with its line and column', () => {
    expect(marked('/title')).toEqual(['"Tea"', 2, 12])
    expect(marked('/form/0/children/0/idname')).toEqual(['"text-response"', 5, 19])
    expect(marked('/form/0/children/0/a~1b~0c')).toEqual(['12', 5, 45])
  })

  test('of an object or array is where it begins', () => {
    expect(marked('')).toEqual(['{', 1, 1])
    expect(marked('/form/0/children')).toEqual(['[', 4, 35])
  })

  test('of something that is missing is what it is missing in', () => {
    expect(marked('/form/0/children/0/id')).toEqual(marked('/form/0/children/0'))
    expect(marked('/form/9/children/0')).toEqual(marked('/form'))
    expect(marked('/form/x')).toEqual(marked('/form'))
    expect(marked('/title/en')).toEqual(marked('/title'))
  })

  test('of a member that stands twice is the one that counts', () => {
    expect(rangeFinder('{\n"a": 1,\n"a": 2 }')('/a').line).toBe(3)
  })

  test('of a text nested beyond sense is its beginning', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    expect(rangeFinder(deep)('/0/0')).toEqual({ from: 0, to: 0, line: 1, column: 1 })
  })
})

describe('what is no JSON', () => {
  const errors = (broken: string) => syntaxErrorsOf(broken).map(({ line, column, message }) => [line, column, message])

  test('nothing is wrong with JSON', () => {
    for (const right of [text, 'null', '"\\u0041"', '[1, 2.5e3]']) expect(syntaxErrorsOf(right)).toEqual([])
  })

  test.each([
    ['a comma too few', '{\n"a": 1\n"b": 2 }', [3, 1, 'Expected a comma before this.']],
    ['a comma too many', '{\n"a": [1,\n] }', [3, 1, 'Expected a value. Remove the comma after the last value.']],
    ['no end', '{ "a": 1', [1, 9, 'Expected a closing }.']],
    ['an open text', '{\n  "a": "b\n}', [2, 8, 'Expected a closing quotation mark.']],
    ['a word', '{ "a": yes }', [1, 8, 'Invalid value. Strings must be in double quotes.']],
    ['a comment', '// hello\n1', [1, 1, 'Comments are not allowed in JSON.']],
    ['two values', '1\n2', [2, 1, 'Expected the end of the text before this.']],
  ])('%s', (_, broken, expected) => {
    expect(errors(broken)[0]).toEqual(expected)
  })

  test('whatever JSON.parse refuses has a fault, also the empty text', () => {
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

  test('reports a duplicate member', () => {
    expect(duplicateMembers('{ "a": 1, "b": { "a": 2 },\n "a": 3 }')).toEqual([
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
