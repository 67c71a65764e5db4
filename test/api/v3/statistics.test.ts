import { beforeAll, describe, expect, test } from '@jest/globals'
import { respond } from '../../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let uri: string

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(world.now.getTime() - days * DAY_MS)

beforeAll(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, TWO_PAGES)
  uri = `${world.base}/api/v3/surveys/${id}/statistics/`
})

describe('getStatistics [spec 10.1]', () => {
  test('returns no rate, no median and no last response for a survey without responses', async () => {
    const { status, body } = await ann.get(`${uri}?period=2`)
    expect(status).toBe(200)
    expect(body).toEqual({
      survey_uri: `${world.base}/api/v3/surveys/${id}/`,
      responses: { total: 0, complete: 0, incomplete: 0, terminated: 0 },
      completion_rate: null,
      median_completion_seconds: null,
      last_response_at: null,
      days: [
        { date: '2026-01-14', started: 0, complete: 0 },
        { date: '2026-01-15', started: 0, complete: 0 },
      ],
      pages: [1, 2].map((number) => ({ number, title: {}, submitted: 0, stopped: 0 })),
    })
  })

  test('counts responses by day and by page, and the respondents who stopped after a page', async () => {
    await respond(world, id, { createdAt: daysAgo(40), pagepath: '1,2', completionTime: 600 })
    await respond(world, id, { createdAt: daysAgo(1), pagepath: '1,2', completionTime: 20 })
    await respond(world, id, { createdAt: daysAgo(1), pagepath: '1', completed: 0 })
    await respond(world, id, { createdAt: daysAgo(0), pagepath: '1', completed: 2 })
    await respond(world, id, { createdAt: daysAgo(0), completionTime: 40 })
    const { body } = await ann.get(`${uri}?period=2`)
    expect(body).toMatchObject({
      responses: { total: 5, complete: 3, incomplete: 1, terminated: 1 },
      completion_rate: 75,
      median_completion_seconds: 40,
      last_response_at: daysAgo(0).toISOString(),
      days: [
        { date: '2026-01-14', started: 2, complete: 1 },
        { date: '2026-01-15', started: 2, complete: 1 },
      ],
      pages: [
        { number: 1, submitted: 4, stopped: 1 },
        { number: 2, submitted: 2, stopped: 0 },
      ],
    })
    expect((await ann.get(uri)).body.days).toHaveLength(30)
  })

  test.each(['period=0', 'period=367', 'period=x'])('returns 400 for %s', async (query) => {
    expect((await ann.get(`${uri}?${query}`)).status).toBe(400)
  })

  test('returns 304 for the current ETag, and 404 for the survey of another account', async () => {
    const { headers } = await ann.get(uri)
    expect((await ann.get(uri, { headers: { 'If-None-Match': headers.get('etag')! } })).status).toBe(304)
    expect((await (await world.person()).get(uri)).status).toBe(404)
  })
})
