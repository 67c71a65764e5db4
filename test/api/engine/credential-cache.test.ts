import { describe, expect, test } from '@jest/globals'
import { createCredentialCache } from '../../../src/api/engine/authenticate.ts'

const START = Date.parse('2026-01-15T12:00:00Z')
const at = (milliseconds: number) => new Date(START + milliseconds)

/** Creates a cache. A secret consists of an account ID and any text. @returns also the secrets that were looked up */
function createCache() {
  const lookups: string[] = []
  const cache = createCredentialCache<number>((account) => account)
  const get = (secret: string, now = at(0)) =>
    cache.of(secret, now, async () => {
      lookups.push(secret)
      return Number.parseInt(secret, 10)
    })
  return { lookups, cache, get }
}

describe('the credential cache', () => {
  test('returns a value for 30 seconds without another lookup', async () => {
    const { lookups, get } = createCache()
    for (const time of [0, 15_000, 29_999]) expect(await get('1 a', at(time))).toBe(1)
    expect(lookups).toEqual(['1 a'])
    await get('1 a', at(30_000))
    expect(lookups).toEqual(['1 a', '1 a'])
  })

  test('clears the entries of the given accounts only', async () => {
    const { lookups, cache, get } = createCache()
    const secrets = ['1 a', '1 b', '2 a', '3 a']
    for (const secret of secrets) await get(secret)
    cache.invalidate(new Set([1, 3]))
    lookups.length = 0
    for (const secret of secrets) await get(secret)
    expect(lookups).toEqual(['1 a', '1 b', '3 a'])
    cache.invalidate()
    lookups.length = 0
    for (const secret of secrets) await get(secret)
    expect(lookups).toEqual(secrets)
  })

  test('does not store a value whose entry was cleared during the lookup', async () => {
    const { lookups, cache, get } = createCache()
    const pending = get('1 a')
    cache.invalidate(new Set([1]))
    expect(await pending).toBe(1)
    await get('1 a')
    expect(lookups).toEqual(['1 a', '1 a'])
  })
})
