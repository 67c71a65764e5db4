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
let report: number
let ids: { first: number; second: number; third: number }

beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, colours)
  const { first, second, third } = await threeResponses(world, survey)
  ids = { first: first.id, second: second.id, third: third.id }
  report = (await ann.post(`/api/v3/surveys/${survey}/reports/`, { json: { title: 'All' } })).body.id
})

/** Parameters that old clients add to every URL. */
const UNKNOWN = ['format=json', '_=1400000000', 'callback=jQuery1_2', 'access_token=0badcafe']
const OTHERS = ['invites', 'survey_id=x', 'limit=1&offset=1&page=0&page_size=9', '_created_at%3E2013-11-04', 'x%FF=%ZZ']

describe('unknown query parameters [spec 2.3]', () => {
  it.each(Object.entries(versions))('are ignored by every list of %s', async (_, version) => {
    const lists = operationsOf(version).filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    expect(lists.length).toBeGreaterThan(5)
    const searches = [...UNKNOWN, 'invites', 'colour=red', '_created_at%3E2013-11-04']
    // In v2, lists have an offset and a limit.
    if (version.prefix !== '/api/v2') searches.push('limit=1', 'offset=1')
    for (const { path } of lists)
      for (const search of searches)
        expect([path, search, (await ann.get(`${path}?${search}`)).status]).toEqual([path, search, 200])
  })

  it('do not change the reply of a v2 list that has no pages', async () => {
    const plain = (await ann.get('/api/v2/surveys/')).body
    expect((await ann.get('/api/v2/surveys/?limit=0&offset=5&page=9&page_size=1')).body).toEqual(plain)
  })

  it.each(Object.entries(versions))('and empty numbers do not change the lists of %s', async (_, version) => {
    const lists = operationsOf(version).filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    for (const { path } of lists) {
      const plain = await ann.get(path)
      const { status, body } = await ann.get(`${path}?limit=&offset=&page=&page_size=`)
      // The URL of the next page keeps all parameters of the query.
      expect([path, status, { ...body, next: null }]).toEqual([path, 200, { ...plain.body, next: null }])
    }
    const responses = await ann.get(`/api/v3/surveys/${survey}/responses/?page=&page_size=`)
    expect(responses.body.results).toHaveLength(3)
    expect((await ann.post(`/api/v2/surveys/${survey}/invite-codes/?count=`)).status).toBe(400)
  })

  it('are ignored by operations that write', async () => {
    for (const search of [...UNKNOWN, ...OTHERS]) {
      const { status } = await ann.post(`/api/v3/surveys/${survey}/tags/?${search}`, { json: { name: 'mine' } })
      expect([search, status]).toEqual([search, 201])
    }
  })

  it.each(['responses/', 'csv/', 'reports/ID/'])('return 400 for v3 %s, except those of old clients', async (part) => {
    const path = `/api/v3/surveys/${survey}/${part.replace('ID', String(report))}`
    for (const search of UNKNOWN) expect([search, (await ann.get(`${path}?${search}`)).status]).toEqual([search, 200])
    for (const name of ['colour', 'limit', 'offset', 'Format']) {
      const reply = await ann.get(`${path}?${name}=1`)
      expect([reply.status, reply.body.errors[0].field]).toEqual([400, name])
    }
  })

  it.each(['responses/', 'csv/'])('are ignored by v2 %s', async (part) => {
    for (const search of [...UNKNOWN, 'colour=red', 'page=x'])
      expect([search, (await ann.get(`/api/v2/surveys/${survey}/${part}?${search}`)).status]).toEqual([search, 200])
  })

  it('are filters if the survey has a question with this ID, such as format', async () => {
    const other = await makeSurvey(ann, {
      title: 'Books',
      form: [{ children: [{ idname: 'text-response', id: 'format', title: 'Format' }] }],
    })
    for (const format of ['json', 'paper']) await ann.post(`/api/v3/surveys/${other}/responses/`, { json: { format } })
    expect((await ann.get(`/api/v3/surveys/${other}/responses/?format=json`)).body.count).toBe(1)
  })

  it('are not accepted as credentials', async () => {
    const token = Buffer.from(ann.authorization!.slice(6), 'base64').toString()
    for (const search of [`access_token=${encodeURIComponent(token)}`, 'access_token=x'])
      expect((await world.anonymous.get(`/api/v3/surveys/?${search}`)).status).toBe(401)
  })

  it('are kept in the URLs of the next and previous page, except an access token', async () => {
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
  it.each(['%3E', '%3E%3D', '>', '>='])('have the same meaning as without it for %s', async (operator) => {
    const plain = await found(`_created_at${operator}2024-01-31`)
    expect(plain).toEqual(operator.length % 3 === 1 ? [ids.third] : expect.any(Array))
    expect(await found(`_created_at${operator}2024-01-31=`)).toEqual(plain)
    const { body } = await ann.get(`/api/v2/surveys/${survey}/responses/?_created_at${operator}2024-01-31=`)
    expect(body.responses.map(({ _id }: { _id: number }) => _id)).toEqual(plain)
  })
  it('are accepted in the encoding of Go, Python and PHP, also with a time', async () => {
    expect(await found(String(new URLSearchParams({ '_created_at<2024-01-31T00:00:00': '' })))).toEqual([ids.first])
    expect(await found('_created_at%3C2024-01-31T00%3A00%3A00=&page=0&page_size=2')).toEqual([ids.first])
  })
  it('return 400 for two trailing =', async () => {
    expect((await ann.get(`/api/v3/surveys/${survey}/responses/?_created_at%3E2024-01-31==`)).status).toBe(400)
  })
})

describe('exports', () => {
  const lines = async (search: string, version = 'v3') => {
    const { status, text } = await ann.get(`/api/${version}/surveys/${survey}/csv/?${search}`)
    expect(status).toBe(200)
    return text.trim().split('\r\n')
  }
  it.each(['v2', 'v3'])('of %s accept ids separated by +, spaces or commas', async (version) => {
    for (const separator of ['+', '%2B', '%20', ',', '%2C'])
      expect(await lines(`ids=${ids.first}${separator}${ids.third}`, version)).toHaveLength(3)
  })
  it('treat a flag without a value as true', async () => {
    expect(await lines('include_labels=&include=one')).toEqual(await lines('include_labels=true&include=one'))
    expect(await lines('include_labels=&include=one')).not.toEqual(await lines('include=one'))
  })
})
