import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { addSurvey, pageOf, single, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const MAX_BYTES = 50_000

/** Returns a reply as it was on the wire. */
async function raw(path: string, encoding: string) {
  const { request } = await import('node:http')
  return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    request(new URL(path, world.base), { headers: { 'accept-encoding': encoding } }, async (reply) => {
      const parts: Buffer[] = []
      for await (const part of reply) parts.push(part)
      resolve({ headers: reply.headers, bytes: Buffer.concat(parts) })
    })
      .on('error', reject)
      .end()
  })
}

test('a survey page takes at most 50 kB with its style sheet and scripts', async () => {
  const owner = await world.person()
  const { path } = await addSurvey(owner, {
    title: 'Drinks',
    form: [pageOf(single('drink', ['Tea', 'Coffee']), text('remark'))],
  })
  const page = await raw(path, 'br')
  const assets = [...page.bytes.toString().matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset!)
  expect(assets.length).toBeGreaterThan(1)
  const sizes = await Promise.all(assets.map(async (asset) => (await raw(asset, 'br')).bytes.length))
  expect([page.bytes.length, ...sizes].reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES)
})

test('style sheets and scripts are sent in the coding that the client prefers', async () => {
  const path = /href="(\/assets\/[^"]+\.css)"/.exec((await raw('/accounts/login/', '')).bytes.toString())![1]!
  const plain = await raw(path, 'identity')
  const [brotli, zipped, both] = [await raw(path, 'br'), await raw(path, 'gzip'), await raw(path, 'gzip;q=0.5, br')]
  expect([plain, brotli, zipped, both].map(({ headers }) => headers['content-encoding'])).toEqual([
    undefined,
    'br',
    'gzip',
    'br',
  ])
  expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes)
  expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes)
  expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 3)
  for (const { headers } of [plain, brotli, zipped])
    expect([headers['content-type'], headers.vary]).toEqual(['text/css; charset=utf-8', 'Accept-Encoding'])
})

// Pages contain secrets (tokens, keys) beside texts that a stranger can choose (BREACH).
test('pages are not compressed', async () => {
  expect((await raw('/accounts/login/', 'br, gzip')).headers['content-encoding']).toBeUndefined()
})
