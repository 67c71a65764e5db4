import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { excerptOf } from '../../src/lib/excerpt.ts'

/** A body of these chunks that then ends as told, or never. */
function bodyOf(chunks: string[], ends: 'well' | 'badly' | 'never' = 'well'): Readable {
  return new Readable({
    read() {
      const chunk = chunks.shift()
      if (chunk !== undefined) this.push(Buffer.from(chunk))
      else if (ends === 'well') this.push(null)
      else if (ends === 'badly') this.destroy(new Error('broken off'))
    },
  })
}

describe('excerptOf', () => {
  test('the beginning, on one line, without what a database or a page cannot hold', async () => {
    expect(await excerptOf(bodyOf(['<b>no\r\n', ' way</b>\0!']), 100)).toBe('<b>no way</b> !')
    expect(await excerptOf(bodyOf(['👍👍👍']), 2)).toBe('👍👍')
    expect(await excerptOf(bodyOf([]), 10)).toBe('')
  })

  test('what came of a body that breaks off or never ends', async () => {
    expect(await excerptOf(bodyOf(['so far'], 'badly'), 10)).toMatch(/^(so far|)$/)
    expect(await excerptOf(bodyOf(['so far'], 'never'), 10)).toBe('so far')
  })

  test('no more is read than is needed', async () => {
    let read = 0
    const endless = new Readable({
      read() {
        read += 1
        this.push(Buffer.alloc(1000, 'a'))
      },
    })
    expect(await excerptOf(endless, 50)).toBe('a'.repeat(50))
    expect(read).toBeLessThan(100)
  })
})
