import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { colours } from '../../support/colours.ts'
import { respond, surveyOf } from '../../support/respondents.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let survey: number
let path: string
/** The responses that every test looks for, by a word. */
const made: Record<string, { id: number; key: string }> = {}

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  survey = await surveyOf(world, ann, colours)
  path = `/api/v3/surveys/${survey}/responses/`
  const { now } = world
  made.first = await respond(world, survey, {
    completed: 0,
    createdAt: '2024-01-30T23:59:59.999Z',
    answers: { name: 'Ann', one: 0 },
  })
  made.second = await respond(world, survey, {
    completed: 1,
    createdAt: '2024-01-31T00:00:00Z',
    answers: {
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
      gone: 'x',
    },
    getVariables: 'source=mail&tag=a&tag=b',
    inviteCode: 'K7QM2WXA',
    inviteEmail: 'zoe@example.org',
    inviteName: 'Zoe',
    weightedScore: 7.5,
    completionTime: 72,
    language: 'fr',
    locale: 3,
    username: 'zoe',
    referrer: 'https://example.org/',
    pagepath: '1',
  })
  made.third = await respond(world, survey, {
    completed: 2,
    createdAt: '2024-02-01T00:00:00Z',
    answers: { name: 'ann', one: 2 },
  })
  await world
    .em()
    .getConnection()
    .execute(`update response set updated_at = '2024-03-01T10:00:00Z' where id = ${made.third.id}`)
  world.now = now
})

/** The words of the responses that a query finds. */
async function found(query: string): Promise<string[]> {
  const { status, body, text } = await ann.get(`${path}?${query}`)
  if (status !== 200) throw new Error(text)
  expect(body.count).toBe(body.results.length)
  return body.results.map(({ _id }: { _id: number }) => Object.keys(made).find((word) => made[word]!.id === _id))
}

describe('listResponses', () => {
  test('a response has its answers, the facts around them, and its address', async () => {
    const { body } = await ann.get(path)
    expect(body).toMatchObject({ count: 3, next: null, previous: null })
    expect(body.results[1]).toEqual({
      response_uri: `${world.base}${path}${made.second!.id}/`,
      _id: made.second!.id,
      _key: made.second!.key,
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

  test('page: page index, default 0', async () => {
    const first = await ann.get(`${path}?page_size=2`)
    expect(first.body).toMatchObject({ count: 3, previous: null, next: `${world.base}${path}?page_size=2&page=1` })
    const second = await ann.get(first.body.next)
    expect(second.body).toMatchObject({ count: 3, next: null, previous: `${world.base}${path}?page_size=2&page=0` })
    expect(second.body.results).toHaveLength(1)
    expect((await ann.get(`${path}?page=7`)).body.results).toEqual([])
  })

  test('page_size: default 50, maximum 200', async () => {
    const many = await surveyOf(world, ann, { title: 'Many' })
    await Promise.all(Array.from({ length: 201 }, () => respond(world, many)))
    const size = async (query: string) =>
      (await ann.get(`/api/v3/surveys/${many}/responses/${query}`)).body.results.length
    expect(await size('')).toBe(50)
    expect(await size('?page_size=0')).toBe(50)
    expect(await size('?page_size=200')).toBe(200)
    expect(await size('?page_size=5000')).toBe(200)
    expect(await size('?page_size=200&page=1')).toBe(1)
  })

  test('_completed: 0 incomplete, 1 complete or quota reached, 2 terminated', async () => {
    expect(await found('_completed=0')).toEqual(['first'])
    expect(await found('_completed=1')).toEqual(['second'])
    expect(await found('_completed=2')).toEqual(['third'])
    expect(await found('_completed>0')).toEqual(['second', 'third'])
  })

  test('_invite_code: response matching the invite code', async () => {
    expect(await found('_invite_code=K7QM2WXA')).toEqual(['second'])
    expect(await found('_invite_code=nothing')).toEqual([])
    expect(await found('_invite_code=')).toEqual(['first', 'third'])
  })

  test('_updated_at: last save date', async () => {
    expect(await found('_updated_at=2024-03-01')).toEqual(['third'])
    expect(await found('_updated_at>2024-01-31')).toEqual(['third'])
  })

  test('_created_at: first save date, the whole day in UTC', async () => {
    expect(await found('_created_at=2024-01-31')).toEqual(['second'])
    expect(await found('_created_at>2024-01-31')).toEqual(['third'])
    expect(await found('_created_at<2024-01-31')).toEqual(['first'])
    expect(await found('_created_at>=2024-01-31')).toEqual(['second', 'third'])
    expect(await found('_created_at<=2024-01-31')).toEqual(['first', 'second'])
    expect(await found('_created_at=2024-01-31T00:00')).toEqual(['second'])
    expect(await found('_created_at>2024-01-29&_created_at<2024-02-01')).toEqual(['first', 'second'])
  })

  test.each([
    ['name=Ann', ['first']],
    ['who=ann', ['third']],
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
    ['nps>8', ['second']],
    ['name>11.5', ['second']],
    ['_weighted_score>=7.5', ['second']],
    ['_language=fr&one=1', ['second']],
    ['_language=fr&one=0', []],
  ])('<question_id>: %s finds %j', async (query, words) => {
    expect(await found(query)).toEqual(words)
  })

  test('filter: a predefined one, a saved one', async () => {
    expect(await found('filter=completed')).toEqual(['second'])
    expect(await found('filter=invite_emails')).toEqual(['second'])
    expect(await found('filter=invite_codes&one=1')).toEqual(['second'])
    await world
      .em()
      .getConnection()
      .execute(
        `insert into saved_filter (survey_id, name, query, created_at) values (${survey}, 'my own', 'one>0&_created_at>2024-01-31', now())`,
      )
    expect(await found('filter=my+own')).toEqual(['third'])
    const unknown = await ann.get(`${path}?filter=nope`)
    expect(unknown.status).toBe(400)
    expect(unknown.body.errors).toEqual([{ field: 'filter', message: '"nope" is no filter of this survey' }])
  })

  test.each(['include_labels', 'include_labels=true', 'include_labels=1', 'include_labels=yes', 'include_labels=on'])(
    '%s: label text instead of indices',
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

  test('expand_GET: the GET variables as JSON', async () => {
    const { body } = await ann.get(`${path}?expand_GET=1`)
    expect(body.results[1]._get_variables).toEqual({ source: 'mail', tag: ['a', 'b'] })
    expect(body.results[0]._get_variables).toBeNull()
  })

  test('what makes no sense is refused by name', async () => {
    const { status, body } = await ann.get(`${path}?_completed=7&nothing=1&_created_at>soon`)
    expect(status).toBe(400)
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['_completed', 'nothing', '_created_at'])
    expect((await ann.get(`${path}?name=%00`)).body.errors[0].field).toBe('name')
  })

  test('next and previous keep every filter, operators encoded; the Link header says the same', async () => {
    const { body, headers } = await ann.get(`${path}?_created_at>2024-01-01&page_size=1&include_labels`)
    expect(body.next).toBe(`${world.base}${path}?_created_at%3E2024-01-01&page_size=1&include_labels&page=1`)
    expect(headers.get('link')).toContain(`<${body.next}>; rel="next"`)
    const { body: next } = await ann.get(body.next)
    expect(next).toMatchObject({ count: 3, results: [{ _id: made.second!.id, one: 'Green' }] })
  })

  test('another account has no such survey', async () => {
    expect((await bob.get(path)).status).toBe(404)
    expect((await world.nobody.get(path)).status).toBe(401)
    expect((await ann.get('/api/v3/surveys/999999999/responses/')).status).toBe(404)
  })

  test('anonymous: neither shown nor found', async () => {
    const secret = await surveyOf(world, ann, colours, { anonymous: true })
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

  test('predicates as they are typed, plain and encoded, over a bare socket', async () => {
    const count = async (query: string) => {
      const socket = connect(Number(new URL(world.base).port), '127.0.0.1')
      socket.write(
        `GET ${path}?${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${ann.authorization}\r\n\r\n`,
      )
      const answer = (await socket.setEncoding('utf8').toArray()).join('')
      return [Number(/^HTTP\/1.1 (\d+)/.exec(answer)![1]), Number(/"count":(\d+)/.exec(answer)?.[1])]
    }
    for (const operator of ['>', '%3E', '%3e'])
      expect(await count(`_created_at${operator}2024-01-31`)).toEqual([200, 1])
    for (const operator of ['<', '%3C']) expect(await count(`_created_at${operator}2024-02-01`)).toEqual([200, 2])
    for (const operator of ['=', '%3D']) expect(await count(`_created_at${operator}2024-01-31`)).toEqual([200, 1])
    expect(await count('_created_at>=2024-01-31&one<2')).toEqual([200, 1])
  })
})

describe('getResponse', () => {
  test('one response, with the flags of the list', async () => {
    const { body } = await ann.get(`${path}?one=1`)
    expect((await ann.get(body.results[0].response_uri)).body).toEqual(body.results[0])
    const flagged = await ann.get(`${path}${made.second!.id}/?include_labels&expand_GET`)
    expect(flagged.body).toMatchObject({ one: 'Green', _get_variables: { source: 'mail' } })
  })

  test('404 for what is not there: another id, another survey, another account, no number', async () => {
    const other = await surveyOf(world, ann, { title: 'Other' })
    const { id } = made.first!
    for (const gone of ['999999999', '9007199254740991', '99999999999999999999', 'x']) {
      expect((await ann.get(`${path}${gone}/`)).status).toBe(404)
    }
    expect((await ann.get(`/api/v3/surveys/${other}/responses/${id}/`)).status).toBe(404)
    expect((await bob.get(`${path}${id}/`)).body.code).toBe('survey_not_found')
  })
})
