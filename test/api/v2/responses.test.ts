import { beforeAll, describe, expect, test } from '@jest/globals'
import { colours } from '../../support/colours.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let path: string
let ids: number[]

beforeAll(async () => {
  ann = await world.person()
  const survey = await makeSurvey(ann, colours)
  path = `/api/v2/surveys/${survey}/responses/`
  ids = []
  for (const one of [0, 1, 2, 1]) {
    const completed = one === 2 ? 0 : 1
    ids.push((await respond(world, survey, { completed, answers: { one }, getVariables: 'a=1' })).id)
  }
})

const idsOf = (body: { responses: { _id: number }[] }) => body.responses.map(({ _id }) => _id)

describe('listResponses', () => {
  test('returns total, count and responses [spec 7.8]', async () => {
    const { body } = await ann.get(path)
    expect(body).toMatchObject({ total: 4, count: 4 })
    expect(idsOf(body)).toEqual(ids)
    expect(body.responses[0]).toMatchObject({
      one: 0,
      _completed: 1,
      _ip_address: '203.0.113.7',
    })
  })

  test('returns in each response only answers, and metadata whose names begin with an underscore', async () => {
    const { body } = await ann.get(path)
    const { body: single } = await ann.get(`${path}${ids[0]}/`)
    for (const response of [...body.responses, ...single.responses])
      expect(Object.keys(response).filter((name) => !name.startsWith('_'))).toEqual(['one'])
  })

  test('uses offset 0 and limit 50 by default, and limits pages to 200 [spec 7.8]', async () => {
    expect((await ann.get(`${path}?offset=1&limit=2`)).body).toMatchObject({
      total: 4,
      count: 2,
      responses: [{ _id: ids[1] }, { _id: ids[2] }],
    })
    expect((await ann.get(`${path}?limit=0`)).body.count).toBe(4)
    expect((await ann.get(`${path}?limit=-1`)).body.count).toBe(4)
    expect((await ann.get(`${path}?limit=1000&offset=9`)).body).toEqual({ total: 4, count: 0, responses: [] })
    const many = await makeSurvey(ann, { title: 'Many' })
    await Promise.all(Array.from({ length: 201 }, () => respond(world, many)))
    const list = `/api/v2/surveys/${many}/responses/`
    expect((await ann.get(list)).body).toMatchObject({ total: 201, count: 50 })
    expect((await ann.get(`${list}?limit=1000`)).body).toMatchObject({ total: 201, count: 200 })
  })

  test('accepts the predefined filter completed and returns 400 for an unknown filter [spec 7.8]', async () => {
    expect((await ann.get(`${path}?filter=completed`)).body).toMatchObject({ total: 3, count: 3 })
    const unknown = await ann.get(`${path}?filter=nope`)
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test('accepts the filters and flags of v3 and ignores an unknown name [spec 7.8]', async () => {
    const { body } = await ann.get(`${path}?one=1&_created_at>2020-01-01&nothing=1&include_labels&expand_GET`)
    expect(idsOf(body)).toEqual([ids[1], ids[3]])
    expect(body.responses[0]).toMatchObject({ one: 'Green', _get_variables: { a: '1' } })
    expect((await ann.get(`${path}?_completed=7`)).status).toBe(400)
  })
})

describe('getResponse [spec 7.2]', () => {
  test('returns one response in the wrapper of the list', async () => {
    const { body } = await ann.get(`${path}${ids[2]}/?include_labels`)
    expect(body).toMatchObject({ total: 1, count: 1, responses: [{ _id: ids[2], one: 'Blue' }] })
    expect((await ann.get(`${path}999999999/`)).status).toBe(404)
  })
})
