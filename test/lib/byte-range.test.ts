import { describe, expect, it } from '@jest/globals'
import { parseRange } from '../../src/lib/byte-range.ts'

describe('parseRange', () => {
  it.each([
    ['bytes=0-', { start: 0, end: 10 }],
    ['bytes=9-', { start: 9, end: 10 }],
    ['bytes=2-3', { start: 2, end: 4 }],
    ['bytes=2-2', { start: 2, end: 3 }],
    ['bytes=2-99', { start: 2, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-99', { start: 0, end: 10 }],
    ['BYTES= 2-3 ', { start: 2, end: 4 }],
    ['bytes=10-', undefined],
    ['bytes=-0', undefined],
    [`bytes=${'9'.repeat(400)}-`, undefined],
  ])('selects %s of a file of ten bytes', (field, range) => {
    expect(parseRange(field)!(10)).toEqual(range)
  })

  it.each([
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=3-2',
    'bytes=1-2,4-5',
    'bytes=+1-',
    'bytes=1 -2',
    'rows=1-2',
    'bytes:1-2',
  ])('ignores %s', (field) => {
    expect(parseRange(field)).toBeUndefined()
  })
})
