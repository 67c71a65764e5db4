import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { excerptOf } from '../../src/lib/excerpt.ts'

/** Returns a body that delivers the chunks, and then ends, fails or stays open. */
function bodyOf(chunks: string[], end: 'success' | 'error' | 'never' = 'success'): Readable {
  return new Readable({
    read() {
      const chunk = chunks.shift()
      if (chunk !== undefined) this.push(Buffer.from(chunk))
      else if (end === 'success') this.push(null)
      else if (end === 'error') this.destroy(new Error('connection closed'))
    },
  })
}

describe('excerptOf', () => {
  test('returns the beginning of a body on one line, without control characters', async () => {
    expect(await excerptOf(bodyOf(['<b>no\r\n', ' way</b>\0!']), 100)).toBe('<b>no way</b> !')
    expect(await excerptOf(bodyOf(['👍👍👍']), 2)).toBe('👍👍')
    expect(await excerptOf(bodyOf([]), 10)).toBe('')
  })

  test('returns the received part of a body that fails or never ends', async () => {
    expect(await excerptOf(bodyOf(['partial'], 'error'), 10)).toMatch(/^(partial|)$/)
    expect(await excerptOf(bodyOf(['partial'], 'never'), 10)).toBe('partial')
  })

  test('stops reading at the limit', async () => {
    let reads = 0
    const endlessBody = new Readable({
      read() {
        reads += 1
        this.push(Buffer.alloc(1000, 'a'))
      },
    })
    expect(await excerptOf(endlessBody, 50)).toBe('a'.repeat(50))
    expect(reads).toBeLessThan(100)
  })
})
