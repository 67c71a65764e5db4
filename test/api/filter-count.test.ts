import { beforeAll, describe, expect, test } from '@jest/globals'
import { colours } from '../support/colours.ts'
import { makeSurvey } from '../support/responses.ts'
import { threeResponses } from '../support/three-responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let created: Awaited<ReturnType<typeof threeResponses>>

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann, colours)
  created = await threeResponses(world, survey)
})

describe('the number of filters in an address', () => {
  const filters = (count: number, name = '_created_at>') =>
    Array.from({ length: count }, (_, index) => `${name}20${String(index).padStart(2, '0')}-01-01`).join('&')
  const found = async (query: string): Promise<number[]> => {
    const { body } = await ann.get(`/api/v3/surveys/${survey}/responses/?${query}`)
    return body.results.map(({ _id }: { _id: number }) => _id)
  }
  const extraFilter = { code: 'limit_reached', params: { max: 100 } }

  test('can be a hundred, and equal filters count once', async () => {
    expect(await found(`${filters(99)}&_completed=1`)).toEqual([])
    expect(
      await found(Array.from({ length: 500 }, (_, n) => (n % 2 ? '_completed=1' : '_completed%3D1')).join('&')),
    ).toEqual([created.second.id])
  })

  test.each([
    ['listResponses', 'v3', 'responses/'],
    ['exportCsv', 'v3', 'csv/'],
    ['exportWorkbook', 'v3', 'xlsx/'],
    ['exportSav', 'v3', 'sav/'],
    ['exportDta', 'v3', 'dta/'],
    ['exportJsonLines', 'v3', 'jsonl/'],
    ['exportParquet', 'v3', 'parquet/'],
    ['listResponses', 'v2', 'responses/'],
    ['exportCsv', 'v2', 'csv/'],
  ])('is at most a hundred in %s of %s', async (_, version, path) => {
    const reply = await ann.get(`/api/${version}/surveys/${survey}/${path}?${filters(100)}&_completed=1`)
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [extraFilter] } })
    expect(reply.body.errors[0].field).toBe('_completed')
  })

  test('includes alternatives', async () => {
    const any = (count: number, more = '') => `_any=${encodeURIComponent(filters(count) + more)}`
    expect(await found(`${any(98)}&_completed=1&_completed=2`)).toEqual([])
    expect(await found(`${any(100)}`)).toHaveLength(3)
    for (const query of [`${any(99)}&_completed=1&_completed=2`, any(100, '&_completed=1')])
      expect(await ann.get(`/api/v3/surveys/${survey}/responses/?${query}`)).toMatchObject({
        status: 400,
        body: { errors: [extraFilter] },
      })
  })

  test('is at most a hundred in getReport', async () => {
    const created = await ann.post(`/api/v3/surveys/${survey}/reports/`, { json: { title: 'All' } })
    const path = new URL(created.headers.get('location') ?? created.body.report_uri).pathname
    expect(await ann.get(`${path}?${filters(100)}&_completed=1`)).toMatchObject({
      status: 400,
      body: { errors: [extraFilter] },
    })
  })

  test('does not include names that version 2 ignores', async () => {
    const unknown = Array.from({ length: 300 }, (_, index) => `x${index}=1`).join('&')
    const reply = await ann.get(`/api/v2/surveys/${survey}/responses/?${unknown}`)
    expect(reply).toMatchObject({ status: 200, body: { total: 3 } })
  })
})
