import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { useLongExport } from '../../support/long-export.ts'

const CUTS = 10

/** The plain file has about 20 MB. */
const long = useLongExport(24_000)
const { get } = long

/** Returns a function that returns numbers between 0 and 1, the same numbers in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Downloads a file that is cut at random offsets, and resumed after each cut. */
async function resumed(url: string, length: number, seed: number): Promise<Buffer> {
  const next = random(seed)
  const offsets = Array.from({ length: CUTS }, () => Math.floor(next() * length) + 1).sort((a, b) => a - b)
  const first = await get(url, {}, offsets[0])
  expect(first.status).toBe(200)
  const parts = [first.bytes]
  let offset = first.bytes.length
  for (const cut of [...offsets.slice(1), length]) {
    if (cut === offset) continue
    const headers = { range: `bytes=${offset}-`, 'if-range': first.headers.etag! }
    const part = await get(url, headers, cut - offset)
    expect(part.status).toBe(206)
    expect(part.headers.etag).toBe(first.headers.etag)
    expect(part.headers['content-range']).toBe(`bytes ${offset}-${length - 1}/${length}`)
    expect(part.headers['content-length']).toBe(String(length - offset))
    parts.push(part.bytes)
    offset += part.bytes.length
  }
  return Buffer.concat(parts)
}

describe('exportCsv, cut ten times and resumed', () => {
  test.each([
    ['the plain file', ''],
    ['labels, a byte order mark and addresses', '?include_labels=1&bom=1&include_url=1&_completed=1'],
    ['tabs in UTF-16', '?tab_separated=1&show_titles=1&_completed=2'],
    ['one line per answer', '?inverted=1&include_key=1&_completed=0'],
    ['scores and all conversions', '?score_based=1&escape_newline=1&strip_html=1&formula_guard=1&_completed=1'],
    ['one question', '?include=name&language=fr&include_id=1&_completed=2'],
  ])(
    'returns the bytes of an uncut download of %s [spec 7.10]',
    async (_, query) => {
      const { here, there } = long
      const whole = (await get(here + query)).bytes
      // The second server first resumes a file that it has never written. The next time, it knows the length of the
      // file.
      const cold = await resumed(there + query, whole.length, 1)
      expect(whole.length).toBeGreaterThan(2 ** 21)
      expect(cold.equals(whole)).toBe(true)
      expect((await resumed(there + query, whole.length, 2)).equals(whole)).toBe(true)
      expect((await resumed(here + query, whole.length, 3)).equals(whole)).toBe(true)
    },
    60_000,
  )

  test('returns the same bytes to a download that curl resumes with -C -', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'canvass-curl-'))
    try {
      const { here, ann } = long
      const whole = await get(here)
      const file = path.join(folder, 'long.csv')
      for (const length of [1, 3_000_000, whole.bytes.length]) {
        await writeFile(file, whole.bytes.subarray(0, length))
        const credentials = ['-u', `${ann.apiKey}:${ann.password}`]
        const ifRange = ['-H', `If-Range: ${whole.headers.etag}`]
        await promisify(execFile)('curl', ['-sS', ...credentials, ...ifRange, '-C', '-', '-o', file, here])
        expect((await readFile(file)).equals(whole.bytes)).toBe(true)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 60_000)
})
