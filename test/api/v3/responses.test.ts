import { beforeAll, describe, expect, test } from '@jest/globals'
import { colours } from '../../support/colours.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { threeResponses } from '../../support/three-responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let survey: number
let path: string
let created: Awaited<ReturnType<typeof threeResponses>>

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  survey = await makeSurvey(ann, colours)
  path = `/api/v3/surveys/${survey}/responses/`
  created = await threeResponses(world, survey)
})

describe('listResponses', () => {
  test('returns the answers, the metadata and the URL of a response [spec 2.7, 7.1]', async () => {
    const { body } = await ann.get(path)
    expect(body).toMatchObject({ count: 3, next: null, previous: null })
    expect(body.results[1]).toEqual({
      response_uri: `${world.base}${path}${created.second.id}/`,
      _id: created.second.id,
      _key: created.second.key,
      name: '12',
      one: 1,
      many: [0, 2],
      'many\\other': 'teal',
      sure: true,
      when: '2024-05-06T07:08',
      'a=b': 'x>y',
      rank: [2, 0, 1],
      grid_0: 2,
      nps: 9,
      _completed: 1,
      _created_at: '2024-01-31T00:00:00',
      _updated_at: '2024-01-31T00:00:00',
      _username: 'zoe',
      _ip_address: '203.0.113.7',
      _locale: 3,
      _language: 'fr',
      _weighted_score: 7.5,
      _referrer: 'https://example.org/',
      _get_variables: 'source=mail&tag=a&tag=b',
      _pagepath: '1',
      _saves: 1,
      _completion_time: 72,
      _collector: expect.any(Number),
      _invite_code: 'K7QM2WXA',
      _invite_email: 'zoe@example.org',
      _invite_name: 'Zoe',
    })
    expect(body.results[0]).toMatchObject({ _weighted_score: '', _locale: null, _referrer: null, _username: '' })
  })

  test('reads page as a zero-based index with default 0 [spec 7.6]', async () => {
    const first = await ann.get(`${path}?page_size=2`)
    expect(first.body).toMatchObject({ count: 3, previous: null, next: `${world.base}${path}?page_size=2&page=1` })
    const second = await ann.get(first.body.next)
    expect(second.body).toMatchObject({ count: 3, next: null, previous: `${world.base}${path}?page_size=2&page=0` })
    expect(second.body.results).toHaveLength(1)
    expect((await ann.get(`${path}?page=7`)).body.results).toEqual([])
  })

  test('limits page_size to 200 with default 50 [spec 7.6]', async () => {
    const many = await makeSurvey(ann, { title: 'Many' })
    await Promise.all(Array.from({ length: 201 }, () => respond(world, many)))
    const size = async (query: string) =>
      (await ann.get(`/api/v3/surveys/${many}/responses/${query}`)).body.results.length
    expect(await size('')).toBe(50)
    expect(await size('?page_size=0')).toBe(50)
    expect(await size('?page_size=200')).toBe(200)
    expect(await size('?page_size=5000')).toBe(200)
    expect(await size('?page_size=200&page=1')).toBe(1)
  })

  test.each(['include_labels', 'include_labels=true', 'include_labels=1', 'include_labels=yes', 'include_labels=on'])(
    'returns labels instead of indices for %s [spec 7.6]',
    async (flag) => {
      const { body } = await ann.get(`${path}?one=1&${flag}`)
      expect(body.results[0]).toMatchObject({
        one: 'Green',
        many: ['Red', 'Blue'],
        sure: 'Yes',
        grid_0: 'Blue',
        nps: 9,
        name: '12',
      })
    },
  )

  test('returns the GET variables as JSON with expand_GET [spec 7.6]', async () => {
    const { body } = await ann.get(`${path}?expand_GET=1`)
    expect(body.results[1]._get_variables).toEqual({ source: 'mail', tag: ['a', 'b'] })
    expect(body.results[0]._get_variables).toBeNull()
  })

  test('returns 400 with the name of an invalid parameter', async () => {
    const { status, body } = await ann.get(`${path}?_completed=7&nothing=1&_created_at>soon`)
    expect(status).toBe(400)
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['_completed', 'nothing', '_created_at'])
    expect((await ann.get(`${path}?name=%00`)).body.errors[0].field).toBe('name')
  })

  test('keeps every filter in next and previous with encoded operators, and in the Link header', async () => {
    const { body, headers } = await ann.get(`${path}?_created_at>2024-01-01&page_size=1&include_labels`)
    expect(body.next).toBe(`${world.base}${path}?_created_at%3E2024-01-01&page_size=1&include_labels&page=1`)
    expect(headers.get('link')).toContain(`<${body.next}>; rel="next"`)
    const { body: next } = await ann.get(body.next)
    expect(next).toMatchObject({ count: 3, results: [{ _id: created.second.id, one: 'Green' }] })
  })

  test('returns 404 to another account', async () => {
    expect((await bob.get(path)).status).toBe(404)
    expect((await world.anonymous.get(path)).status).toBe(401)
    expect((await ann.get('/api/v3/surveys/999999999/responses/')).status).toBe(404)
  })
})

describe('getResponse', () => {
  test('returns one response, and accepts the flags of listResponses', async () => {
    const { body } = await ann.get(`${path}?one=1`)
    expect((await ann.get(body.results[0].response_uri)).body).toEqual(body.results[0])
    const flagged = await ann.get(`${path}${created.second.id}/?include_labels&expand_GET`)
    expect(flagged.body).toMatchObject({ one: 'Green', _get_variables: { source: 'mail' } })
  })

  test('returns 404 for an unknown or invalid ID, for a response of another survey, and to another account', async () => {
    const other = await makeSurvey(ann, { title: 'Other' })
    const { id } = created.first
    for (const deleted of ['999999999', '9007199254740991', '99999999999999999999', 'x']) {
      expect((await ann.get(`${path}${deleted}/`)).status).toBe(404)
    }
    expect((await ann.get(`/api/v3/surveys/${other}/responses/${id}/`)).status).toBe(404)
    expect((await bob.get(`${path}${id}/`)).body.code).toBe('survey_not_found')
  })
})
