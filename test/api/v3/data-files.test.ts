import { beforeAll, describe, expect, test } from '@jest/globals'
import { surveyWithQuestions } from '../../support/exports.ts'
import { type HardSurvey, hardSurvey } from '../../support/hard-survey.ts'
import { signInAs } from '../../support/http-browser.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let hard: HardSurvey

async function get(path: string, headers: Record<string, string> = {}) {
  const reply = await fetch(world.base + path, { headers: { authorization: hard.ann.authorization!, ...headers } })
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}

beforeAll(async () => {
  hard = await hardSurvey(world)
})

describe.each([
  ['sav', 'application/octet-stream'],
  ['dta', 'application/octet-stream'],
  ['parquet', 'application/vnd.apache.parquet'],
])('the export as .%s [spec 7.17]', (format, type) => {
  const path = () => `/api/v3/surveys/${hard.survey}/${format}/`

  test('is a file', async () => {
    const { status, headers } = await get(path())
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      type,
      `attachment; filename="every-type.${format}"`,
    ])
  })

  test('has the same bytes and ETag until a response changes', async () => {
    const { id } = await surveyWithQuestions(world, hard.ann, 'Few', [{ idname: 'text-response', id: 'a', title: 'A' }])
    const api = `/api/v3/surveys/${id}/`
    const first = await get(`${api}${format}/`)
    const etag = first.headers.get('etag')!
    expect(etag).not.toBe((await get(`${api}csv/`)).headers.get('etag'))
    expect((await get(`${api}${format}/`, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(`${api}${format}/`)).bytes.equals(first.bytes)).toBe(true)
    await hard.ann.post(`${api}responses/`, { json: { a: 'b' } })
    const second = await get(`${api}${format}/`, { 'if-none-match': etag })
    expect([second.status, second.bytes.equals(first.bytes)]).toEqual([200, false])
  })

  test('refuses unknown questions, languages and parameters', async () => {
    const errorOf = async (query: string) => {
      const { status, bytes } = await get(path() + query)
      return [status, JSON.parse(bytes.toString()).errors[0].code]
    }
    expect(await errorOf('?include=gone')).toEqual([400, 'unknown_question'])
    expect(await errorOf('?language=xx')).toEqual([400, 'unknown_language'])
    expect(await errorOf('?include_labels=1')).toEqual([400, 'unknown_parameter'])
  })

  test('is on the download page, in the language of the page', async () => {
    const browser = await signInAs(hard.ann)
    const root = `/account/surveys/${hard.survey}/responses/`
    expect((await browser.get(`${root}download/`)).text).toContain(`value="${format}"`)
    const download = async (language: string) => {
      const headers = { cookie: browser.cookieHeader, 'accept-language': language }
      const reply = await fetch(`${world.base}${root}export/?purpose=${format}&base=`, { headers })
      expect(reply.headers.get('content-disposition')).toContain(`every-type.${format}`)
      return Buffer.from(await reply.arrayBuffer())
    }
    expect((await download('en')).equals((await get(path())).bytes)).toBe(true)
    expect((await download('de')).toString()).toContain('Unvollständig')
  })
})

describe('exportDta [spec 7.17]', () => {
  test('has a map of its parts, and texts of any length after the data', async () => {
    const { bytes } = await get(`/api/v3/surveys/${hard.survey}/dta/`)
    const map = bytes.indexOf('<map>') + '<map>'.length
    const tags =
      'stata_dta map variable_types varnames sortlist formats value_label_names variable_labels characteristics data strls value_labels /stata_dta'
    for (const [i, tag] of tags.split(' ').entries()) {
      const at = Number(bytes.readBigUInt64LE(map + 8 * i))
      expect(bytes.toString('latin1', at, at + tag.length + 2)).toBe(`<${tag}>`)
    }
    expect(bytes.readBigUInt64LE(map + 8 * 13)).toBe(BigInt(bytes.length))
    for (const text of hard.huge) expect(bytes.includes(text)).toBe(true)
  })

  test('contains no observation and no long text if no response matches', async () => {
    const { bytes } = await get(`/api/v3/surveys/${hard.survey}/dta/?ids=999999999`)
    expect(bytes.includes('<N>\0\0\0\0\0\0\0\0</N>')).toBe(true)
    expect(bytes.includes('<data></data><strls></strls>')).toBe(true)
  })

  test('stores the longest texts after the data if an observation would have more than 64 KiB', async () => {
    const questions = Array.from({ length: 50 }, (_, i) => ({ idname: 'text-response', id: `t${i}`, title: `T ${i}` }))
    const { id } = await surveyWithQuestions(world, hard.ann, 'Wide', questions)
    const json = Object.fromEntries(questions.map(({ id: name }, i) => [name, 'x'.repeat(i % 5 ? 2_000 : 100)]))
    await hard.ann.post(`/api/v3/surveys/${id}/responses/`, { json })
    const { bytes } = await get(`/api/v3/surveys/${id}/dta/`)
    const kinds = bytes.subarray(bytes.indexOf('<variable_types>') + '<variable_types>'.length)
    const count = bytes.readUInt16LE(bytes.indexOf('<K>') + '<K>'.length)
    const texts = Array.from({ length: 50 }, (_, i) => kinds.readUInt16LE(2 * (count - 50 + i)))
    expect(texts).toEqual(Array.from({ length: 50 }, (_, i) => (i % 5 ? 32_768 : 100)))
  })
})
