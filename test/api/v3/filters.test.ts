import { beforeAll, describe, expect, test } from '@jest/globals'
import { colours } from '../../support/colours.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let uri: string
beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, colours)
  uri = `${world.base}/api/v3/surveys/${survey}/filters/`
})

describe('saveFilter [spec 5.8]', () => {
  test('stores a name and a query that finds responses [spec 7.8]', async () => {
    const { id } = await respond(world, survey, { answers: { one: 1 } })
    await respond(world, survey, { answers: { one: 0 } })
    const { status, body } = await ann.post(uri, {
      form: { name: 'green & late', query: 'one=Green&_created_at%3E2024-01-31' },
    })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        name: 'green & late',
        query: 'one=Green&_created_at>2024-01-31',
        responses_uri: `${world.base}/api/v3/surveys/${survey}/responses/?filter=green%20%26%20late`,
      },
    })
    expect((await ann.get(body.responses_uri)).body).toMatchObject({ count: 1, results: [{ _id: id }] })
  })

  test('returns 409 for a name that exists', async () => {
    await ann.post(uri, { json: { name: 'twice', query: 'one=1' } })
    expect(await ann.post(uri, { json: { name: 'twice', query: 'one=2' } })).toMatchObject({
      status: 409,
      body: { code: 'filter_exists' },
    })
  })

  test.each([
    ['name', { name: 'completed', query: 'one=1' }],
    ['name', { name: ' ', query: 'one=1' }],
    ['query', { name: 'x', query: '&' }],
    ['query', { name: 'x' }],
    ['nothing', { name: 'x', query: 'nothing=1' }],
    ['_created_at', { name: 'x', query: '_created_at>soon' }],
    ['filter', { name: 'x', query: 'filter=completed' }],
  ])('returns 400 with the field %s for %j', async (field, json) => {
    expect(await ann.post(uri, { json })).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  })

  test('stores a filter for which listResponses returns 400 after the question of the filter was removed', async () => {
    const other = await makeSurvey(ann, colours)
    const filters = `/api/v3/surveys/${other}/filters/`
    const { body } = await ann.post(filters, { json: { name: 'ones', query: 'one=1' } })
    await world
      .em()
      .getConnection()
      .execute(
        `update survey set structure = (select structure from survey where id = ${survey})::jsonb #- '{form,0,children,2}', revision = revision + 1 where id = ${other}`,
      )
    const { status, body: rejected } = await ann.get(body.responses_uri)
    expect([status, rejected.errors[0].field]).toEqual([400, 'filter'])
    expect(rejected.errors[0].message).toMatch(/^no longer matches the survey \(/)
  })
})

describe('listFilters', () => {
  test('returns pages of filters, oldest first', async () => {
    const other = await makeSurvey(ann, colours)
    const filters = `/api/v3/surveys/${other}/filters/`
    for (const name of ['b', 'a', 'c']) await ann.post(filters, { form: { name, query: '_completed=1' } })
    const { body } = await ann.get(`${filters}?page_size=2`)
    expect(body).toMatchObject({ count: 3, previous: null, results: [{ name: 'b' }, { name: 'a' }] })
    expect((await ann.get(body.next)).body.results).toMatchObject([{ name: 'c', query: '_completed=1' }])
  })

  test('returns 404 to another account', async () => {
    const bob = await world.person()
    expect((await bob.get(uri)).status).toBe(404)
    expect((await bob.post(uri, { form: { name: 'x', query: 'one=1' } })).status).toBe(404)
    expect((await bob.delete(`${uri}?name=twice`)).status).toBe(404)
  })
})

describe('removeFilter [spec 5.8]', () => {
  test.each([
    ['in the query', (name: string) => ann.delete(`${uri}?name=${name}`)],
    ['in the body', (name: string) => ann.delete(uri, { form: { name } })],
  ])('accepts the name %s', async (_, remove) => {
    await ann.post(uri, { form: { name: 'short-lived', query: 'one=1' } })
    expect(await remove('short-lived')).toMatchObject({ status: 200, body: 'OK' })
    expect(await remove('short-lived')).toMatchObject({ status: 404, body: { code: 'filter_not_found' } })
  })

  test('returns 400 without a name', async () => {
    expect(await ann.delete(uri)).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } })
  })
})
