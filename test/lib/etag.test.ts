import { describe, expect, test } from '@jest/globals'
import { hasTag } from '../../src/lib/http.ts'

describe('hasTag', () => {
  test.each([
    '"t"',
    'W/"t"',
    'w/"t"',
    '"x", "t"',
    '"x",W/"t-gzip"',
    '*',
    '"t-br"',
    '"t--gzip"',
    '"t;gzip"',
    '"t-x-gzip"',
  ])('finds "t" in %s', (header) => expect(hasTag(header, '"t"')).toBe(true))

  test.each(['', '"x"', 't', '"t', '"t-gz"', '"t-gzip-x"', '"-gzip"', 'W/W/"t"'])('does not find "t" in %s', (header) =>
    expect(hasTag(header, '"t"')).toBe(false),
  )

  test('finds a tag that ends like the name of a compression by chance', () => {
    expect(hasTag('"t-gzip"', '"t-gzip"')).toBe(true)
    expect(hasTag('W/"t-br-gzip"', '"t-br"')).toBe(true)
    expect(hasTag('"t"', '"t-gzip"')).toBe(false)
  })

  test.each(['t-', 't--', 't-x', 't;', '-'])('finds the tag %s with each suffix', (tag) => {
    for (const suffix of ['', '-gzip', '--gzip', ';br', '-x-gzip'])
      expect(hasTag(`W/"${tag}${suffix}"`, `"${tag}"`)).toBe(true)
  })
})
