import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { respond } from '../../support/respondents.ts'
import { counts, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})

/** Responses of a survey by the time of their creation, with their IP addresses. */
const RESPONSES = [
  ['2026-02-28T23:59:59Z', '203.0.113.7'],
  ['2026-03-01T00:00:00Z', '203.0.113.8'],
  ['2026-03-01T09:30:59Z', '203.0.114.1'],
  ['2026-03-01T09:31:00Z', '2001:db8:7::1'],
  ['2026-03-01T23:59:59Z', '2001:db8:7:ffff::2'],
  ['2026-03-02T00:00:00Z', '2001:db8:8::1'],
  ['2026-03-03T00:00:00Z', ''],
  ['2026-03-03T00:00:00Z', '999.1.1.1'],
  ['2026-03-03T00:00:00Z', '::1:2:3:4:5:6:7:8'],
  ['2026-03-03T00:00:00Z', '::ffff:198.51.100.7'],
] as const

let survey: number
let uri: string
let ids: number[]
beforeEach(async () => {
  survey = await makeSurvey(ann)
  uri = `/api/v3/surveys/${survey}/responses/deletion/`
  ids = []
  for (const [createdAt, ipAddress] of RESPONSES)
    ids.push((await respond(world, survey, { createdAt, ipAddress, completed: ids.length === 1 ? 0 : 1 })).id)
})

const idsIn = async (surveyId: number): Promise<number[]> => {
  const rows = await world
    .em()
    .getKysely<Tables>()
    .selectFrom('response')
    .select('id')
    .where('survey_id', '=', surveyId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

describe('deleteMatchingResponses', () => {
  test.each<[string, object, number[]]>([
    ['a day as its start', { created_from: '2026-03-02' }, [5, 6, 7, 8, 9]],
    ['a day as its end', { created_to: '2026-03-01' }, [0, 1, 2, 3, 4]],
    ['a day as both', { created_from: '2026-03-01', created_to: '2026-03-01' }, [1, 2, 3, 4]],
    ['minutes', { created_from: '2026-03-01T00:00', created_to: '2026-03-01T09:30' }, [1, 2]],
    ['a time with an offset', { created_from: '2026-03-01T10:31:00+01:00', created_to: '2026-03-01' }, [3, 4]],
    ['an IPv4 address', { network: '203.0.113.7' }, [0]],
    ['an IPv4 network', { network: '203.0.113.0/24' }, [0, 1]],
    ['an IPv4 network with the address of a host', { network: ' 203.0.113.99/24 ' }, [0, 1]],
    ['a larger IPv4 network', { network: '203.0.112.0/22' }, [0, 1, 2]],
    ['all IPv4 addresses', { network: '0.0.0.0/0' }, [0, 1, 2, 9]],
    ['a mapped IPv4 network', { network: '::ffff:203.0.113.0/120' }, [0, 1]],
    ['an IPv4-mapped address that is stored', { network: '198.51.100.0/24' }, [9]],
    ['an IPv6 address in another notation', { network: '2001:0DB8:7:0:0:0:0:1' }, [3]],
    ['an IPv6 network', { network: '2001:db8:7::/48' }, [3, 4]],
    ['a prefix within a group of an IPv6 address', { network: '2001:db8:7::/45' }, [3, 4]],
    ['another prefix within a group of an IPv6 address', { network: '2001:db8:7::/44' }, [3, 4, 5]],
    ['all IPv6 addresses', { network: '::/0' }, [3, 4, 5]],
    ['time and network', { created_from: '2026-03-01', network: '203.0.113.0/24' }, [1]],
    ['a network and a status', { network: '203.0.113.0/24', completed: 1 }, [0]],
    ['nothing', { network: '192.0.2.0/24' }, []],
  ])('counts, then deletes exactly the responses that match %s', async (_, conditions, indices) => {
    const count = indices.length
    expect(await ann.post(uri, { json: conditions })).toMatchObject({ status: 200, body: { deleted: 0, count } })
    expect(await idsIn(survey)).toEqual(ids)
    const reply = await ann.post(uri, { json: { ...conditions, expected: count } })
    expect([reply.status, reply.body]).toEqual([200, { deleted: count, count: 0 }])
    expect(await idsIn(survey)).toEqual(ids.filter((_, index) => !indices.includes(index)))
  })

  test('ignores stored texts that are no IP addresses, which imports can contain', async () => {
    const addresses = [
      '0.0.0.0',
      '01.02.3.4',
      '255.255.255.255',
      '::',
      '1::',
      '::1',
      '1:2:3:4:5:6:7:8',
      '::FFFF:1.2.3.4',
    ]
    const texts = ['00.00.00.00', '256.0.0.1', '1.2.3', '1.2.3.4.5', '1.2.3.4/8', '1.2.3.4\n', ' 1.2.3.4', '::1.2.3.4']
    const others = [
      ':',
      ':::',
      '1::2::3',
      '12345::',
      '1:2:3:4:5:6:7',
      '::g',
      'fe80::1%eth0',
      '1:2:3:4:5:6:7:8:9',
      '::1\n',
    ]
    const mixed = ['::ffff:256.0.0.1', '::ffff:', '1:2:3:4:5:6:7:8::', ':1', '1:', '::1:2:3:4:5:6:7', 'a'.repeat(2_000)]
    for (const ipAddress of [...addresses, ...texts, ...others, ...mixed]) await respond(world, survey, { ipAddress })
    for (const [network, count] of [
      ['::/128', 1],
      ['255.255.255.255', 1],
      ['1.2.3.4', 2],
      ['1::/16', 2],
    ] as const)
      expect(await ann.post(uri, { json: { network } })).toMatchObject({ status: 200, body: { count } })
    for (const network of ['::/0', '0.0.0.0/0']) expect((await ann.post(uri, { json: { network } })).status).toBe(200)
  })

  test('accepts a form', async () => {
    const reply = await ann.post(uri, { form: { network: '203.0.113.0/24', completed: '0', expected: '1' } })
    expect([reply.status, reply.body]).toEqual([200, { deleted: 1, count: 0 }])
  })

  test('keeps the counters right, lists the deletions in the change feed, and releases the slots of quotas', async () => {
    const { pool } = world.application.services
    await pool.query('insert into response_quota (survey_id, response_id, quota) select $1, unnest($2::bigint[]), $3', [
      survey,
      ids,
      'q',
    ])
    const changes = `/api/v3/surveys/${survey}/responses/changes/`
    const { next_cursor: since } = (await ann.get(changes)).body
    await ann.post(uri, { json: { network: '203.0.113.0/24', expected: 2 } })
    const left = ids.length - 2
    expect(await counts(world, survey)).toEqual({ rows: left, feed: left, collectors: left })
    expect((await ann.get(`/api/v3/surveys/${survey}/responses/`)).body.count).toBe(left)
    expect((await ann.get(`${changes}?since=${since}`)).body.results).toMatchObject([
      { kind: 'deleted', response_id: ids[0] },
      { kind: 'deleted', response_id: ids[1] },
    ])
    const slots = await pool.query('select response_id from response_quota where survey_id = $1', [survey])
    expect(slots.rows.map((row) => Number(row.response_id)).sort((a, b) => a - b)).toEqual(ids.slice(2))
  })

  test.each([1, 3, 0])('returns 409 and deletes nothing if 2 responses match and %s are expected', async (expected) => {
    const reply = await ann.post(uri, { json: { network: '203.0.113.0/24', expected } })
    expect(reply).toMatchObject({ status: 409, body: { code: 'response_count_changed' } })
    expect(await idsIn(survey)).toEqual(ids)
  })

  test('deletes once if the request is repeated with its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `deletion of ${survey}` }
    const json = { network: '203.0.113.0/24', expected: 2 }
    const first = await ann.post(uri, { json, headers })
    await respond(world, survey, { ipAddress: '203.0.113.7' })
    await respond(world, survey, { ipAddress: '203.0.113.7' })
    const second = await ann.post(uri, { json, headers })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect([first.body, second.body]).toEqual([
      { deleted: 2, count: 0 },
      { deleted: 2, count: 0 },
    ])
    expect(await idsIn(survey)).toHaveLength(ids.length)
  })

  test('deletes at most 5000 responses a request, and returns the number of the others', async () => {
    for (let batch = 0; batch < 10; batch += 1)
      await Promise.all(Array.from({ length: 500 }, () => respond(world, survey, { ipAddress: '192.0.2.1' })))
    const json = { network: '192.0.2.0/24' }
    await respond(world, survey, { ipAddress: '192.0.2.2' })
    expect((await ann.post(uri, { json: { ...json, expected: 5001 } })).body).toEqual({ deleted: 5000, count: 1 })
    expect((await ann.post(uri, { json: { ...json, expected: 1 } })).body).toEqual({ deleted: 1, count: 0 })
    expect(await idsIn(survey)).toEqual(ids)
  })

  test.each<[string, object, string, string]>([
    ['no condition', {}, 'created_from', 'missing_parameter'],
    ['only a status', { completed: 1, expected: 9 }, 'created_from', 'missing_parameter'],
    ['a date that does not exist', { created_from: '2026-02-30' }, 'created_from', 'invalid_date'],
    ['no date', { created_to: 'yesterday' }, 'created_to', 'invalid_date'],
    ['a name', { network: 'localhost' }, 'network', 'invalid_network'],
    ['an empty network', { network: '' }, 'network', 'invalid_network'],
    ['a prefix that is too long', { network: '203.0.113.0/33' }, 'network', 'invalid_network'],
    ['a prefix that is too long for IPv6', { network: '2001:db8::/129' }, 'network', 'invalid_network'],
    ['a prefix that is too short for mapped addresses', { network: '::ffff:0:0/95' }, 'network', 'invalid_network'],
    ['an empty prefix', { network: '203.0.113.0/' }, 'network', 'invalid_network'],
    ['two prefixes', { network: '203.0.113.0/24/24' }, 'network', 'invalid_network'],
    ['a zone', { network: 'fe80::1%eth0/64' }, 'network', 'invalid_network'],
    ['another status', { network: '::1', completed: 3 }, 'completed', 'invalid_value'],
    ['a negative number', { network: '::1', expected: -1 }, 'expected', 'too_small'],
  ])('returns 400 for %s, and deletes nothing', async (_, json, field, code) => {
    const reply = await ann.post(uri, { json })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field, code }] } })
    expect(await idsIn(survey)).toEqual(ids)
  })

  test('returns 400 no_ip_addresses for a network and an anonymous survey, and deletes by time', async () => {
    const put = await ann.put(`/api/v3/surveys/${survey}/settings/`, { json: { anonymous: true } })
    expect(put.status).toBe(200)
    const network = await ann.post(uri, { json: { network: '203.0.113.0/24' } })
    expect(network).toMatchObject({ status: 400, body: { errors: [{ field: 'network', code: 'no_ip_addresses' }] } })
    const { count } = (await ann.post(uri, { json: { created_to: '2026-03-01' } })).body
    expect((await ann.post(uri, { json: { created_to: '2026-03-01', expected: count } })).body).toEqual({
      deleted: 5,
      count: 0,
    })
  })

  test('matches no response of an anonymous collector of another survey by network', async () => {
    const collectors = `/api/v3/surveys/${survey}/collectors/`
    const { body } = await ann.post(collectors, { json: { name: 'Secret', settings: { anonymous: true } } })
    await respond(world, survey, { ipAddress: '203.0.113.9', collectorId: body.id })
    expect((await ann.post(uri, { json: { network: '203.0.113.0/24' } })).body).toEqual({ deleted: 0, count: 2 })
  })

  test('returns 404 for a survey of another account', async () => {
    const bob = await world.person()
    for (const json of [{ network: '203.0.113.0/24' }, { network: '203.0.113.0/24', expected: 2 }])
      expect(await bob.post(uri, { json })).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
    expect(await idsIn(survey)).toEqual(ids)
  })
})
