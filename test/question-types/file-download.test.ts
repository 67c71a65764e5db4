import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { useBucket } from '../support/bucket.ts'
import { useFaultyStore } from '../support/faulty-store.ts'
import { signInAs } from '../support/http-browser.ts'
import { PICTURE, send, upload, useUploads } from '../support/uploads.ts'

const bucket = useBucket('files')
const faulty = useFaultyStore(bucket)
const { type } = useUploads({ FILES_URL: 's3://files/canvass' })
/** The content of a file with several chunks in the database. */
const CONTENT = Buffer.concat([PICTURE, randomBytes(700_000)])
const LENGTH = CONTENT.length

describe.each(['bucket', 'database'])('the download of a file in the %s', (place) => {
  let paths: { api: string; page: string }
  let credentials: { api: string; page: string }

  beforeAll(async () => {
    const survey = await type.survey([upload()])
    const { files } = type.world.application.services
    const { store } = files
    if (place === 'database') files.store = undefined
    const { body: file } = await send(survey, new File([CONTENT], 'a.png')).finally(() => {
      files.store = store
    })
    const { body: response } = await survey.answer({ photo: file.key })
    paths = {
      api: `/api/v3/surveys/${survey.id}/responses/${response.id}/files/${file.key}/`,
      page: `/account/surveys/${survey.id}/files/${file.key}/`,
    }
    const browser = await signInAs(survey.owner)
    credentials = { api: survey.owner.authorization!, page: browser.cookieHeader }
  })

  const ask = (door: 'api' | 'page', headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      const identity = door === 'api' ? { authorization: credentials.api } : { cookie: credentials.page }
      const sent = request(
        type.world.base + paths[door],
        { method, agent: false, headers: { ...identity, ...headers } },
        (reply) =>
          buffer(reply).then((body) => resolve({ status: reply.statusCode!, headers: reply.headers, body }), reject),
      )
      sent.on('error', reject).end()
    })

  it.each(['api', 'page'] as const)('says its length, also to HEAD (%s)', async (door) => {
    const whole = await ask(door)
    expect(whole.body.equals(CONTENT)).toBe(true)
    expect(whole).toMatchObject({
      status: 200,
      headers: { 'content-length': String(LENGTH), 'accept-ranges': 'bytes' },
    })
    const reads = faulty.lines(/^GET/).length
    const head = await ask(door, {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(LENGTH) }, body: Buffer.alloc(0) })
    expect(faulty.lines(/^GET/)).toHaveLength(reads)
  })

  it.each(['api', 'page'] as const)('sends the part that Range selects (%s)', async (door) => {
    const chunk = 256 * 1024
    const parts: [string, number, number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=5-', 5, LENGTH],
      [`bytes=${chunk - 1}-${chunk}`, chunk - 1, chunk + 1],
      [`bytes=${chunk}-`, chunk, LENGTH],
      [`bytes=${chunk * 2 + 7}-${LENGTH + 50}`, chunk * 2 + 7, LENGTH],
      ['bytes=-3', LENGTH - 3, LENGTH],
    ]
    for (const [range, start, end] of parts) {
      const { status, headers, body } = await ask(door, { range })
      expect([range, status, headers['content-range'], headers['content-length']]).toEqual([
        range,
        206,
        `bytes ${start}-${end - 1}/${LENGTH}`,
        String(end - start),
      ])
      expect(body.equals(CONTENT.subarray(start, end))).toBe(true)
    }
    if (place === 'bucket') expect(faulty.requests.at(-1)!.headers.range).toBe(`bytes=${LENGTH - 3}-${LENGTH - 1}`)
  })

  it.each(['api', 'page'] as const)('can be resumed with If-Range, and is not repeated (%s)', async (door) => {
    const { etag } = (await ask(door, {}, 'HEAD')).headers as { etag: string }
    const range = `bytes=${LENGTH - 10}-`
    expect(await ask(door, { range, 'if-range': etag })).toMatchObject({ status: 206, body: CONTENT.subarray(-10) })
    expect((await ask(door, { range, 'if-range': '"other"' })).status).toBe(200)
    expect((await ask(door, { 'if-none-match': etag })).status).toBe(304)
    const { status, headers } = await ask(door, { range: `bytes=${LENGTH}-` })
    expect([status, headers['content-range']]).toEqual([416, `bytes */${LENGTH}`])
  })
})
