import { beforeAll, describe, expect, test } from '@jest/globals'
import { CODED } from '../../support/every-type.ts'
import { type HardSurvey, hardSurvey } from '../../support/hard-survey.ts'
import { signInAs } from '../../support/http-browser.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let hard: HardSurvey
let api: string

async function get(query = '', headers: Record<string, string> = {}) {
  const reply = await fetch(`${world.base}${api}jsonl/${query}`, {
    headers: { authorization: hard.ann.authorization!, ...headers },
  })
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}

const linesOf = (bytes: Buffer): string[] => {
  expect(bytes.at(-1)).toBe(0x0a)
  return bytes.toString().slice(0, -1).split('\n')
}

beforeAll(async () => {
  hard = await hardSurvey(world)
  api = `/api/v3/surveys/${hard.survey}/`
})

describe('exportJsonLines [spec 7.10]', () => {
  test.each(['', '?include_labels=1', '?expand_GET=1', '?_completed=1&nps>=3'])(
    'has the responses as the list of responses has them: %s',
    async (query) => {
      const { status, headers, bytes } = await get(query)
      expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        200,
        'application/x-ndjson',
        'attachment; filename="every-type.jsonl"',
      ])
      const list = (await hard.ann.get(`${api}responses/${query}${query ? '&' : '?'}page_size=200`)).body.results
      expect(list.length).toBeGreaterThan(3)
      expect(linesOf(bytes)).toEqual(list.map((response: object) => JSON.stringify(response)))
    },
  )

  test('has codes, and labels in a language, of choices', async () => {
    const rows = async (query: string) => linesOf((await get(query)).bytes).map((line) => JSON.parse(line))
    const codes = await rows('?include_codes=1&include_labels=1')
    const labels = await rows('?include_labels=1')
    const indices = await rows('')
    const chosen = indices.findIndex(({ short }) => short === 1)
    expect([codes[chosen].short, labels[chosen].short]).toEqual(['nö', `Label of nö `.repeat(9)])
    const several = indices.findIndex(({ coded }) => coded?.length > 1)
    expect(codes[several].coded).toEqual(indices[several].coded.map((index: number) => CODED[index]!.code))
    expect(codes.map(({ huge }) => huge ?? '')).toEqual(hard.huge)
    expect((await get('?language=xx')).status).toBe(400)
  })

  test('has only the selected answers, and every member that describes the response', async () => {
    const [all] = linesOf((await get()).bytes).map((line) => JSON.parse(line))
    const [some] = linesOf((await get('?include=drinks,price')).bytes).map((line) => JSON.parse(line))
    const expected = Object.entries(all).filter(
      ([key]) => key.startsWith('_') || /^(drinks|price|response_uri)/.test(key),
    )
    expect(some).toEqual(Object.fromEntries(expected))
    expect(JSON.parse((await get('?include=gone')).bytes.toString()).errors[0].code).toBe('unknown_question')
  })

  test('can be resumed after any byte, and says that it has not changed', async () => {
    const whole = await get()
    const etag = whole.headers.get('etag')!
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    for (const from of [1, 1_000, whole.bytes.length - 1]) {
      const rest = await get('', { range: `bytes=${from}-`, 'if-range': etag })
      expect([rest.status, rest.bytes.equals(whole.bytes.subarray(from))]).toEqual([206, true])
    }
    expect((await get('', { range: `bytes=${whole.bytes.length}-` })).status).toBe(416)
    expect((await get('', { 'if-none-match': etag })).status).toBe(304)
  })

  test('is on the download page, with labels', async () => {
    const browser = await signInAs(hard.ann)
    const root = `/account/surveys/${hard.survey}/responses/`
    expect((await browser.get(`${root}download/`)).text).toContain('value="jsonl"')
    const reply = await fetch(`${world.base}${root}export/?purpose=jsonl&base=`, {
      headers: { cookie: browser.cookieHeader },
    })
    expect(reply.headers.get('content-disposition')).toContain('every-type.jsonl')
    expect(Buffer.from(await reply.arrayBuffer()).equals((await get('?include_labels=1')).bytes)).toBe(true)
  })
})
