import { Readable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { parseRange, sliceOf } from '../../src/lib/http.ts'

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

describe('sliceOf', () => {
  const slice = async (chunks: string[], start: number, end: number) => {
    const parts = []
    for await (const part of sliceOf(Readable.from(chunks.map((text) => Buffer.from(text))), { start, end }))
      parts.push(part.toString())
    return parts.join('')
  }

  it('returns the bytes of the range, however the stream is divided', async () => {
    for (const chunks of [['abcdef'], ['ab', 'cd', 'ef'], [...'abcdef']])
      for (let start = 0; start < 6; start += 1)
        for (let end = start + 1; end <= 6; end += 1)
          expect(await slice(chunks, start, end)).toBe('abcdef'.slice(start, end))
  })

  it('fails if the stream ends before the range', async () => {
    await expect(slice(['ab', 'c'], 1, 4)).rejects.toThrow('3 bytes instead of at least 4')
  })
})
