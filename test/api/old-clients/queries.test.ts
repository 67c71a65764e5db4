import { beforeAll, describe, expect, it } from '@jest/globals'
import { operationsOf } from '../../../src/api/engine/mount.ts'
import * as versions from '../../../src/api/versions.ts'
import { colours } from '../../support/colours.ts'
import { makeSurvey } from '../../support/responses.ts'
import { threeResponses } from '../../support/three-responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let ids: { first: number; second: number; third: number }

beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, colours)
  const { first, second, third } = await threeResponses(world, survey)
  ids = { first: first.id, second: second.id, third: third.id }
  await ann.post(`/api/v3/surveys/${survey}/reports/`, { json: { title: 'All' } })
})

/** What old clients add to any address. */
const UNKNOWN = ['format=json', '_=1400000000', 'callback=jQuery1_2', 'access_token=0badcafe']
const OTHERS = ['invites', 'survey_id=x', 'limit=1&offset=1&page=0&page_size=9', '_created_at%3E2013-11-04', 'x%FF=%ZZ']

describe('unknown query parameters', () => {
  it.each(Object.entries(versions))('are ignored by every list of %s', async (_, version) => {
    const found = operationsOf(version).filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    expect(found.length).toBeGreaterThan(5)
    const searches = [...UNKNOWN, 'invites', 'colour=red', '_created_at%3E2013-11-04']
    // Lists of v3 have pages instead of an offset.
    if (version.prefix !== '/api/v2') searches.push('limit=1', 'offset=1')
    for (const { path } of found)
      for (const search of searches)
        expect([path, search, (await ann.get(`${path}?${search}`)).status]).toEqual([path, search, 200])
  })

  it('change nothing about what a list of v2 without pages answers', async () => {
    const plain = (await ann.get('/api/v2/surveys/')).body
    expect((await ann.get('/api/v2/surveys/?limit=0&offset=5&page=9&page_size=1')).body).toEqual(plain)
  })

  it('are ignored by operations that write', async () => {
    for (const search of [...UNKNOWN, ...OTHERS]) {
      const { status } = await ann.post(`/api/v3/surveys/${survey}/tags/?${search}`, { json: { name: 'mine' } })
      expect([search, status]).toEqual([search, 201])
    }
  })

  it.each(['responses/', 'csv/', 'reports/1/'])('v3 %s refuses them, but for four names', async (part) => {
    const path = `/api/v3/surveys/${survey}/${part}`
    for (const search of UNKNOWN) expect([search, (await ann.get(`${path}?${search}`)).status]).toEqual([search, 200])
    for (const name of ['colour', 'limit', 'offset', 'Format']) {
      const reply = await ann.get(`${path}?${name}=1`)
      expect([reply.status, reply.body.errors[0].field]).toEqual([400, name])
    }
  })

  it.each(['responses/', 'csv/'])('v2 %s ignores them', async (part) => {
    for (const search of [...UNKNOWN, 'colour=red', 'page=x'])
      expect([search, (await ann.get(`/api/v2/surveys/${survey}/${part}?${search}`)).status]).toEqual([search, 200])
  })

  it('format is a filter where a question is called so', async () => {
    const other = await makeSurvey(ann, {
      title: 'Books',
      form: [{ children: [{ idname: 'text-response', id: 'format', title: 'Format' }] }],
    })
    for (const format of ['json', 'paper']) await ann.post(`/api/v3/surveys/${other}/responses/`, { json: { format } })
    expect((await ann.get(`/api/v3/surveys/${other}/responses/?format=json`)).body.count).toBe(1)
  })

  it('never sign anybody in', async () => {
    const token = Buffer.from(ann.authorization!.slice(6), 'base64').toString()
    for (const search of [`access_token=${encodeURIComponent(token)}`, 'access_token=x'])
      expect((await world.anonymous.get(`/api/v3/surveys/?${search}`)).status).toBe(401)
  })

  it('stay in the addresses of other pages, but for an access token', async () => {
    const { body } = await ann.get(`/api/v3/surveys/${survey}/responses/?page_size=1&_=7&access_token=secret`)
    expect(body.next).toContain('_=7')
    expect(body.next).not.toContain('secret')
  })
})

describe('dates with a trailing =', () => {
  const found = async (search: string) => {
    const { body, text } = await ann.get(`/api/v3/surveys/${survey}/responses/?${search}`)
    if (!body.results) throw new Error(text)
    return body.results.map(({ _id }: { _id: number }) => _id)
  }
  it.each(['%3E', '%3E%3D', '>', '>='])('%s is the same with and without it', async (operator) => {
    const plain = await found(`_created_at${operator}2024-01-31`)
    expect(plain).toEqual(operator.length % 3 === 1 ? [ids.third] : expect.any(Array))
    expect(await found(`_created_at${operator}2024-01-31=`)).toEqual(plain)
    const { body } = await ann.get(`/api/v2/surveys/${survey}/responses/?_created_at${operator}2024-01-31=`)
    expect(body.responses.map(({ _id }: { _id: number }) => _id)).toEqual(plain)
  })
  it('works as Go, Python and PHP encode it, time and all', async () => {
    expect(await found(String(new URLSearchParams({ '_created_at<2024-01-31T00:00:00': '' })))).toEqual([ids.first])
    expect(await found('_created_at%3C2024-01-31T00%3A00%3A00=&page=0&page_size=2')).toEqual([ids.first])
  })
  it('one = alone is cut off', async () => {
    expect((await ann.get(`/api/v3/surveys/${survey}/responses/?_created_at%3E2024-01-31==`)).status).toBe(400)
  })
})

describe('exports', () => {
  const lines = async (search: string, version = 'v3') => {
    const { status, text } = await ann.get(`/api/${version}/surveys/${survey}/csv/?${search}`)
    expect(status).toBe(200)
    return text.trim().split('\r\n')
  }
  it.each(['v2', 'v3'])('%s takes ids with +, blanks or commas', async (version) => {
    for (const separator of ['+', '%2B', '%20', ',', '%2C'])
      expect(await lines(`ids=${ids.first}${separator}${ids.third}`, version)).toHaveLength(3)
  })
  it('a flag without a value is on', async () => {
    expect(await lines('include_labels=&include=one')).toEqual(await lines('include_labels=true&include=one'))
    expect(await lines('include_labels=&include=one')).not.toEqual(await lines('include=one'))
  })
})
