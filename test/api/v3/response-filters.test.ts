import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { colours } from '../../support/colours.ts'
import fc from '../../support/fast-check.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { threeResponses } from '../../support/three-responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let path: string
let created: Awaited<ReturnType<typeof threeResponses>>

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann, colours)
  path = `/api/v3/surveys/${survey}/responses/`
  created = await threeResponses(world, survey)
})

/** Returns the names of the responses that match a query. */
async function found(query: string): Promise<string[]> {
  const { status, body, text } = await ann.get(`${path}?${query}`)
  if (status !== 200) throw new Error(text)
  expect(body.count).toBe(body.results.length)
  return body.results.map(({ _id }: { _id: number }) => Object.entries(created).find(([, { id }]) => id === _id)?.[0])
}

describe('listResponses with filters', () => {
  test('maps _completed to states: 0 incomplete, 1 complete or quota reached, 2 terminated [spec 7.6]', async () => {
    expect(await found('_completed=0')).toEqual(['first'])
    expect(await found('_completed=1')).toEqual(['second'])
    expect(await found('_completed=2')).toEqual(['third'])
    expect(await found('_completed>0')).toEqual(['second', 'third'])
  })

  test('finds the response with the _invite_code [spec 7.6]', async () => {
    expect(await found('_invite_code=K7QM2WXA')).toEqual(['second'])
    expect(await found('_invite_code=nothing')).toEqual([])
    expect(await found('_invite_code=')).toEqual(['first', 'third'])
  })

  test('compares _updated_at with the last save [spec 7.6]', async () => {
    expect(await found('_updated_at=2024-03-01')).toEqual(['third'])
    expect(await found('_updated_at>2024-01-31')).toEqual(['third'])
  })

  test('compares _created_at with the first save, and treats a date as the whole day in UTC [spec 7.6]', async () => {
    expect(await found('_created_at=2024-01-31')).toEqual(['second'])
    expect(await found('_created_at>2024-01-31')).toEqual(['third'])
    expect(await found('_created_at<2024-01-31')).toEqual(['first'])
    expect(await found('_created_at>=2024-01-31')).toEqual(['second', 'third'])
    expect(await found('_created_at<=2024-01-31')).toEqual(['first', 'second'])
    expect(await found('_created_at=2024-01-31T00:00')).toEqual(['second'])
    expect(await found('_created_at>2024-01-29&_created_at<2024-02-01')).toEqual(['first', 'second'])
  })

  test.each([
    ['name=Ann', ['first', 'third']],
    ['who=ann', ['first', 'third']],
    ['name=nn', []],
    ['name~NN', ['first', 'third']],
    ['name%7E=nn', ['first', 'third']],
    ['many%5Cother~EA', ['second']],
    ['one=0', ['first']],
    ['one=Vert', ['second']],
    ['many=2', ['second']],
    ['many=Red&many=Blue', ['second']],
    ['many%5Cother=teal', ['second']],
    ['many%5C1=0', ['first', 'second', 'third']],
    ['sure=Oui', ['second']],
    ['when>2024-05-05', ['second']],
    ['a%3Db=x%3Ey', ['second']],
    ['grid=Blue', ['second']],
    ['grid_1=', ['first', 'second', 'third']],
    ['rank%5C2=1', ['second']],
    ['rank%5C0=1', []],
    ['rank%5C0=2', ['second']],
    ['rank%5C0<2', []],
    ['rank%5C0%3C=2', ['second']],
    ['rank%5C2>1', []],
    ['rank%5C1=', ['first', 'third']],
    ['rank%5C0=', ['first', 'third']],
    ['nps>8', ['second']],
    ['name>11.5', ['second']],
    ['_weighted_score>=7.5', ['second']],
    ['_language=fr&one=1', ['second']],
    ['_language=fr&one=0', []],
  ])('filters answers by %s and returns %j [spec 7.6]', async (query, names) => {
    expect(await found(query)).toEqual(names)
  })

  const any = (query: string) => `_any=${encodeURIComponent(query)}`

  test.each([
    ['one=0&one=1', ['first', 'second']],
    ['one=0&_completed=0', ['first']],
    ['one=Vert&_language=de', ['second']],
    ['name=ann', ['first', 'third']],
    ['who=nobody&_completed=2&many%5Cother~EA', ['second', 'third']],
    ['_created_at>2024-01-31&_created_at<2024-01-31', ['first', 'third']],
    ['a%3Db=x%3Ey&_completed=0', ['first', 'second']],
    ['grid_1=&one=7', ['first', 'second', 'third']],
  ])('finds the responses that pass at least one filter of _any: %s is %j [spec 7.7]', async (query, names) => {
    const parts = query.split('&')
    const results = await Promise.all(parts.map(found))
    expect(await found(any(query))).toEqual(
      ['first', 'second', 'third'].filter((name) => results.flat().includes(name)),
    )
    expect(await found(any(query))).toEqual(names)
    expect(await found(`${any(query)}&_completed=0`)).toEqual(names.filter((name) => name === 'first'))
  })

  test('combines several _any, and keeps them in saved filters and reports [spec 7.7, 7.8]', async () => {
    const both = `${any('one=1&_completed=2')}&${any('_completed=1&_completed=2')}`
    expect(await found(both)).toEqual(['second', 'third'])
    const saved = await ann.post(`/api/v3/surveys/${survey}/filters/`, { json: { name: 'either', query: both } })
    expect(saved).toMatchObject({ status: 201, body: { query: both } })
    expect(await found('filter=either')).toEqual(['second', 'third'])
    expect((await ann.post(`${path}../reports/`, { json: { title: 'Either', query: both } })).body.query).toBe(both)
    const report = (await ann.get(`${path}../reports/`)).body.results[0]
    expect((await ann.get(new URL(report.report_uri).pathname)).body.responses).toMatchObject({
      complete: 1,
      terminated: 1,
    })
    const csv = await fetch(`${world.base}${path}../csv/?${both}`, { headers: { authorization: ann.authorization! } })
    expect((await csv.text()).trim().split('\n')).toHaveLength(3)
  })

  test.each([
    ['nothing=1&one=1', 'nothing', 'unknown_parameter'],
    ['one=1&_completed=7', '_completed', 'invalid_filter'],
    ['one=1&_any=one%3D1', '_any', 'invalid_filter'],
    ['', '_any', 'invalid_filter'],
  ])('rejects an invalid filter in _any, and names it: %s [spec 7.7]', async (query, field, code) => {
    const reply = await ann.get(`${path}?${any(query)}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field, code }] } })
  })

  test('accepts predefined and saved filters [spec 7.6, 7.8]', async () => {
    expect(await found('filter=completed')).toEqual(['second'])
    expect(await found('filter=invite_emails')).toEqual(['second'])
    expect(await found('filter=invite_codes&one=1')).toEqual(['second'])
    await world
      .em()
      .getConnection()
      .execute(
        `insert into saved_filter (survey_id, name, query, created_at) values (${survey}, 'late answers', 'one>0&_created_at>2024-01-31', now())`,
      )
    expect(await found('filter=late+answers')).toEqual(['third'])
    const unknown = await ann.get(`${path}?filter=nope`)
    expect(unknown.status).toBe(400)
    expect(unknown.body.errors).toMatchObject([{ field: 'filter', message: 'is not a filter of this survey' }])
  })

  test('neither returns nor finds the identity of anonymous respondents', async () => {
    const secret = await makeSurvey(ann, colours, { anonymous: true })
    await respond(world, secret, {
      username: 'zoe',
      inviteCode: 'A',
      inviteEmail: 'z@example.org',
      referrer: 'r',
      getVariables: 'g=1',
    })
    const list = `/api/v3/surveys/${secret}/responses/`
    const hidden = {
      _username: '',
      _ip_address: '',
      _referrer: null,
      _get_variables: null,
      _invite_code: null,
      _invite_email: null,
      _invite_name: null,
    }
    expect((await ann.get(list)).body.results).toMatchObject([hidden])
    for (const query of ['_username=zoe', '_invite_code=A', '_ip_address=203.0.113.7', 'filter=invite_emails']) {
      expect((await ann.get(`${list}?${query}`)).body.count).toBe(0)
    }
    expect((await ann.get(`${list}?_username=`)).body.count).toBe(1)
  })

  test('returns the identity of respondents only for collectors that are not anonymous', async () => {
    const mixed = await makeSurvey(ann, colours)
    const { rows } = await world.application.services.pool.query<{ id: number }>(
      `insert into collector (survey_id, name, settings, created_at) values ($1, 'Secret', '{"anonymous":true}', now()) returning id`,
      [mixed],
    )
    const secret = rows[0]!.id
    await world.application.services.pool.query('update survey set revision = revision + 1 where id = $1', [mixed])
    await respond(world, mixed, { username: 'zoe' })
    await respond(world, mixed, { username: 'zoe', collectorId: secret })
    const list = `/api/v3/surveys/${mixed}/responses/`
    const names = async (query: string) =>
      (await ann.get(list + query)).body.results.map(({ _username }: { _username: string }) => _username)
    expect(await names('')).toEqual(['zoe', ''])
    expect(await names('?_username=zoe')).toEqual(['zoe'])
    expect(await names('?_username=')).toEqual([''])
  })

  test('accepts plain and percent-encoded predicates over a raw socket [spec 7.7]', async () => {
    const count = async (query: string) => {
      const socket = connect(Number(new URL(world.base).port), '127.0.0.1')
      socket.write(
        `GET ${path}?${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${ann.authorization}\r\n\r\n`,
      )
      const reply = (await socket.setEncoding('utf8').toArray()).join('')
      return [Number(/^HTTP\/1.1 (\d+)/.exec(reply)![1]), Number(/"count":(\d+)/.exec(reply)?.[1])]
    }
    for (const operator of ['>', '%3E', '%3e'])
      expect(await count(`_created_at${operator}2024-01-31`)).toEqual([200, 1])
    for (const operator of ['<', '%3C']) expect(await count(`_created_at${operator}2024-02-01`)).toEqual([200, 2])
    for (const operator of ['=', '%3D']) expect(await count(`_created_at${operator}2024-01-31`)).toEqual([200, 1])
    expect(await count('_created_at>=2024-01-31&one<2')).toEqual([200, 1])
  })

  test('returns 200, or 400 with at least one error, for any query', async () => {
    const pieces = ['&', '=', '<', '>', '%3E', '%3D', '%00', '%zz', '%F0%9F', '+', '%5C', '-', '9'.repeat(400), '1e999']
    const fieldNames = [
      'name',
      'one',
      'grid',
      'a%3Db',
      '_id',
      '_saves',
      '_locale',
      '_created_at',
      '_key',
      '_completed',
      'page',
    ]
    const values = [
      '0',
      '1',
      '-1.5',
      '2024-01-31',
      '0100-01-01',
      '9999-12-31T23:59',
      "'",
      '%22',
      'true',
      '%F0%9F%98%80',
    ]
    const query = fc.array(fc.constantFrom(...pieces, ...fieldNames, ...fieldNames, ...values, '=', '>', '&'), {
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(query, async (parts) => {
        const { status, body } = await ann.get(`${path}?${parts.join('')}`)
        expect([200, 400]).toContain(status)
        if (status === 400) expect(body.errors.length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
