import { describe, expect, test } from '@jest/globals'
import { createCredentialCache } from '../../../src/api/engine/credential-cache.ts'

const START = Date.parse('2026-01-15T12:00:00Z')
const at = (milliseconds: number) => new Date(START + milliseconds)

/** Secrets are "<account> <anything>"; says which of them were looked up. */
function recalling() {
  const looked: string[] = []
  const cache = createCredentialCache<number>((account) => account)
  const ask = (secret: string, now = at(0)) =>
    cache.of(secret, now, async () => {
      looked.push(secret)
      return Number.parseInt(secret, 10)
    })
  return { looked, cache, ask }
}

describe('the credential cache', () => {
  test('returns a value for 30 seconds without another look-up', async () => {
    const { looked, ask } = recalling()
    for (const time of [0, 15_000, 29_999]) expect(await ask('1 a', at(time))).toBe(1)
    expect(looked).toEqual(['1 a'])
    await ask('1 a', at(30_000))
    expect(looked).toEqual(['1 a', '1 a'])
  })

  test('clears the entries of the given accounts only', async () => {
    const { looked, cache, ask } = recalling()
    const secrets = ['1 a', '1 b', '2 a', '3 a']
    for (const secret of secrets) await ask(secret)
    cache.invalidate(new Set([1, 3]))
    looked.length = 0
    for (const secret of secrets) await ask(secret)
    expect(looked).toEqual(['1 a', '1 b', '3 a'])
    cache.invalidate()
    looked.length = 0
    for (const secret of secrets) await ask(secret)
    expect(looked).toEqual(secrets)
  })

  test('does not store a value if it was cleared during the look-up', async () => {
    const { looked, cache, ask } = recalling()
    const underway = ask('1 a')
    cache.invalidate(new Set([1]))
    expect(await underway).toBe(1)
    await ask('1 a')
    expect(looked).toEqual(['1 a', '1 a'])
  })
})
