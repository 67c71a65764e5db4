import { describe, expect, test } from '@jest/globals'
import { csvField, escapeNewlines, guardFormula } from '../../src/lib/csv.ts'

describe('csvField (RFC 4180)', () => {
  const comma = { separator: ',', quoteAll: false } as const
  test.each([
    ['plain', 'plain'],
    ['', ''],
    [' spaces stay ', ' spaces stay '],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['old\rMac', '"old\rMac"'],
    ['tab\there', 'tab\there'],
  ])('encodes %j as %j', (text, field) => expect(csvField(text, comma)).toBe(field))

  test('uses another separator and quotes every field', () => {
    expect(csvField('a,b', { separator: '\t', quoteAll: true })).toBe('"a,b"')
    expect(csvField('', { separator: '\t', quoteAll: true })).toBe('""')
  })
})

describe('guardFormula (OWASP, CSV injection)', () => {
  test.each(['=1+1', '+cmd|x', '-2+3', '@SUM(1)', '\t=1', '\rx', '\nx', '  =1', '＝1', '\u00a0@x'])(
    'adds an apostrophe to %j',
    (text) => expect(guardFormula(text)).toBe(`'${text}`),
  )
  test.each(['', 'a=1', '-5', '+49', '3.14', '-0,5', "'=1", ' x', '<=3'])('keeps %j unchanged', (text) =>
    expect(guardFormula(text)).toBe(text),
  )
})

test('escapeNewlines replaces every kind of line break', () => {
  expect(escapeNewlines('a\r\nb\rc\nd')).toBe('a\\nb\\nc\\nd')
})
