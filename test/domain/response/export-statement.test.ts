import { describe, expect, test } from '@jest/globals'
import { replaceParameters, valueText } from '../../../src/domain/response/export/session.ts'

describe('replaceParameters', () => {
  test('replaces each parameter by a literal of the inferred type', () => {
    expect(replaceParameters('a = $1 and b = any($2) or a < $1', ['bigint', 'text[]'], ['1', '{}'])).toBe(
      "a = '1'::bigint and b = any('{}'::text[]) or a < '1'::bigint",
    )
  })

  test('quotes values with quotes and backslashes', () => {
    expect(replaceParameters('$1, $2', ['text', 'text'], ["it's $1 '; drop table response; --", "\\'"])).toBe(
      "'it''s $1 ''; drop table response; --'::text,  E'\\\\'''::text",
    )
  })

  test('replaces parameters whose number has two digits, and parameters that are null', () => {
    const types = Array.from({ length: 11 }, (_, i) => `t${i + 1}`)
    const values = [...types.slice(0, 10), null]
    expect(replaceParameters('$11, $10, $1', types, values)).toBe("null::t11, 't10'::t10, 't1'::t1")
  })

  test('ignores parameters within quotes', () => {
    expect(replaceParameters(`'$1' "$1" 'it''s $1' $1`, ['text'], ['x'])).toBe(`'$1' "$1" 'it''s $1' 'x'::text`)
  })

  test('throws for a parameter without a type', () => {
    expect(() => replaceParameters('$2', ['text'], ['x'])).toThrow('$2')
  })
})

test.each([
  [5, '5'],
  [2 ** 40, '1099511627776'],
  [true, 'true'],
  ['it\'s "x"', 'it\'s "x"'],
  [null, null],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [Buffer.from([1, 255]), '\\x01ff'],
  [[1, 2], '{"1","2"}'],
  [['a"b', 'c\\d', 'x,y', null], '{"a\\"b","c\\\\d","x,y",null}'],
  [{ a: [1] }, '{"a":[1]}'],
])('valueText formats %j', (value, text) => expect(valueText(value)).toBe(text))
