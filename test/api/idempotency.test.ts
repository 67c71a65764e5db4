import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { purgeIdempotencyKeys } from '../../src/domain/idempotency.ts'
import { Limits } from '../../src/domain/limits.ts'
import { exampleRequests, setup } from '../sdk/example-requests.ts'
import { makeExampleWorld } from '../sdk/example-world.ts'
import type { Reply, RequestOptions } from '../support/client.ts'
import { type DatabaseSnapshot, snapshotDatabase } from '../support/db-snapshot.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const REPLAYED = 'idempotent-replayed'

/** Returns the credentials in the body of an operation. In the contract, their examples are placeholders. */
const credentials = (operationId: string) =>
  operationId === 'generateLoginUrl' ? { username: owner.actor.username, key: owner.apiKey } : {}

let owner: Person
let kept: DatabaseSnapshot
let database: pg.Client
const post = (address: string, sent: RequestOptions, key: string, caller = owner) =>
  caller.post(address, { ...sent, headers: { ...sent.headers, 'idempotency-key': key } })

/** Returns the number of rows in every table and in every job queue. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows } = await database.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and (n.nspname = 'public' or c.relname = 'job')`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows)
    counts[name] = Number((await database.query(`select count(*) from ${name}`)).rows[0].count)
  return counts
}

/** Runs requests on the example world and returns their replies and the change in the number of rows. */
async function effectOf(operationId: string, requests: () => Promise<Reply[]>) {
  await kept.restore()
  await setup[operationId]?.(owner, world)
  const before = await rowCounts()
  const replies = await requests()
  const after = await rowCounts()
  const added = Object.fromEntries(Object.keys(after).map((name) => [name, after[name]! - before[name]!]))
  return { replies, added }
}

describe('a POST with an Idempotency-Key', () => {
  beforeAll(async () => {
    owner = await makeExampleWorld(world)
    kept = await snapshotDatabase(world.databaseUrl)
    database = new pg.Client({ connectionString: world.databaseUrl })
    await database.connect()
  }, 60_000)
  afterAll(async () => {
    await database.end()
    await kept.close()
  })

  // These operations store nothing and ignore the key (test/api/v3/gallery.test.ts).
  const withoutEffect = ['convertXlsform', 'previewImport', 'rehearseSurvey']
  const requests = exampleRequests('post').filter(({ operationId }) => !withoutEffect.includes(operationId))

  test.each(requests)('$version $operationId takes effect once', async ({ operationId, address, sent: example }) => {
    const sent = {
      ...example,
      ...(example.json !== undefined && { json: { ...example.json, ...credentials(operationId) } }),
    }
    const once = await effectOf(operationId, async () => [await post(address, sent, 'one')])
    expect(once.replies[0]!.status).toBeLessThan(300)
    expect(once.replies[0]!.headers.get(REPLAYED)).toBeNull()

    const inTurn = await effectOf(operationId, async () => [
      await post(address, sent, 'two'),
      await post(address, sent, '"two"'),
    ])
    const [first, second] = inTurn.replies as [Reply, Reply]
    expect(inTurn.added).toEqual(once.added)
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(second.headers.get(REPLAYED)).toBe('true')

    const together = await effectOf(operationId, () =>
      Promise.all(Array.from({ length: 4 }, () => post(address, sent, 'three'))),
    )
    expect(together.added).toEqual(once.added)
    const executed = together.replies.filter((reply) => reply.status < 300 && !reply.headers.has(REPLAYED))
    expect(executed).toHaveLength(1)
    for (const reply of together.replies)
      if (reply.status >= 300) expect([reply.status, reply.body.code]).toEqual([409, 'request_in_progress'])
      else expect(reply.text).toBe(executed[0]!.text)
  })

  describe('to /api/v3/surveys/', () => {
    const create = (name: string, key: string, caller = owner) =>
      post('/api/v3/surveys/', { json: { name } }, key, caller)

    test.each(['v2', 'v3'])('returns 422 in %s if the key was used with another body', async (version) => {
      const address = `/api/${version}/surveys/`
      expect((await post(address, { json: { name: 'First' } }, `other body ${version}`)).status).toBeLessThan(300)
      const { status, body } = await post(address, { json: { name: 'Second' } }, `other body ${version}`)
      expect([status, body.code]).toEqual([422, 'idempotency_key_reused'])
    })

    test('returns 422 if the key was used with another path', async () => {
      const created = await create('Other path', 'other path')
      const paths = [14, created.body.id].map((id) => `/api/v3/surveys/${id}/duplicate/`)
      expect((await post(paths[0]!, { json: { name: 'A copy' } }, 'copy')).status).toBe(201)
      expect((await post(paths[1]!, { json: { name: 'A copy' } }, 'copy')).status).toBe(422)
    })

    test('is executed if the key was used by another account', async () => {
      const other = await world.person()
      const [first, second] = [await create('Mine', 'shared key'), await create('Mine', 'shared key', other)]
      expect(second.status).toBe(201)
      expect(second.body.id).not.toBe(first.body.id)
    })

    test('is executed again after 24 hours', async () => {
      const began = world.now
      const first = await create('Daily', 'daily')
      world.now = new Date(began.getTime() + 86_400_000 - 1_000)
      expect((await create('Daily', 'daily')).body.id).toBe(first.body.id)
      world.now = new Date(began.getTime() + 86_400_000)
      expect((await create('Daily', 'daily')).body.id).not.toBe(first.body.id)
      world.now = began
    })

    test('returns 400 if the key has more than 255 characters', async () => {
      const { status, body } = await create('Long', 'k'.repeat(256))
      expect([status, body.errors[0]]).toMatchObject([400, { field: 'idempotency-key', code: 'too_long' }])
    })

    test('returns 401 without credentials, even if the owner has used the key', async () => {
      await create('Guarded', 'guarded')
      expect((await create('Guarded', 'guarded', world.anonymous as Person)).status).toBe(401)
    })
  })

  test('that has a reply of more than 1 MB is not executed again, and gets 409', async () => {
    const choices = Array.from({ length: 1000 }, (_, index) => ({ label: `${index} ${'x'.repeat(1000)}` }))
    const question = { idname: 'dropdown-choice', id: 'q', title: 'Q', children: [{ choices }] }
    const json = { name: 'Large', structure: { title: 'Large', form: [{ children: [question] }] } }
    const first = await post('/api/v3/templates/', { json }, 'large')
    expect([first.status, first.text.length > 1_000_000]).toEqual([201, true])
    const { count } = (await owner.get('/api/v3/templates/')).body
    const again = await post('/api/v3/templates/', { json }, 'large')
    expect([again.status, again.body.code]).toEqual([409, 'reply_not_kept'])
    expect((await owner.get('/api/v3/templates/')).body.count).toBe(count)
  })

  test('is refused with 429 above the limit of keys of the account', async () => {
    const other = await world.person()
    const create = (key: string) => post('/api/v3/contact-lists/', { json: { name: key } }, key, other)
    for (const key of ['a', 'b', 'c']) expect((await create(key)).status).toBe(201)
    expect((await create('c')).headers.get(REPLAYED)).toBe('true')
    const limited = new Limits({ ...world.application.services.limits.settings, idempotencyKeysPerDay: 2 })
    const { limits } = world.application.services
    world.application.services.limits = limited
    for (const key of ['d', 'e']) expect((await create(key)).status).toBe(201)
    const refused = await create('f')
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3600)
    expect((await create('e')).headers.get(REPLAYED)).toBe('true')
    world.application.services.limits = limits
    expect((await create('f')).status).toBe(201)
  })

  test('replays an error reply, even if the request would now succeed', async () => {
    const filter = { json: { name: 'twice', query: 'q1=1' } }
    await owner.post('/api/v3/surveys/14/filters/', filter)
    const refused = await post('/api/v3/surveys/14/filters/', filter, 'refused')
    expect([refused.status, refused.body.code]).toEqual([409, 'filter_exists'])
    await owner.delete('/api/v3/surveys/14/filters/?name=twice')
    const repeated = await post('/api/v3/surveys/14/filters/', filter, 'refused')
    expect([repeated.status, repeated.text, repeated.headers.get(REPLAYED)]).toEqual([409, refused.text, 'true'])
  })

  test('differs from a PUT, whose key is ignored', async () => {
    const put = (name: string) =>
      owner.put('/api/v3/surveys/14/', { json: { name }, headers: { 'idempotency-key': 'of a PUT' } })
    await put('One name')
    await put('Another name')
    expect((await owner.get('/api/v3/surveys/14/')).body.name).toBe('Another name')
  })

  test('stores replies encrypted, and deletes them after 24 hours', async () => {
    const began = world.now
    await post('/api/v3/contacts/', { json: { name: 'Hilda Secret', email: 'hilda@example.org' } }, 'sealed')
    const { rows } = await database.query(
      'select row_to_json(k)::text as row from idempotency_key k where created_at <= $1',
      [began],
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain('Hilda')
    world.now = new Date(began.getTime() + 2 * 86_400_000)
    await purgeIdempotencyKeys(world.context(), new AbortController().signal)
    expect((await database.query('select 1 from idempotency_key where created_at <= $1', [began])).rowCount).toBe(0)
    world.now = began
  })
})

describe('a response with a _key', () => {
  const key = '0123456789abcdef0123456789abcdef01234567'
  const survey = async (settings = {}) => {
    const { id } = (await owner.post('/api/v3/surveys/', { json: { name: 'Keyed' } })).body
    const form = [{ type: 'page', children: [{ idname: 'text-response', id: 'q1', title: 'Why?', children: [{}] }] }]
    await owner.put(`/api/v3/surveys/${id}/structure/`, { json: { title: 'Keyed', form } })
    await owner.put(`/api/v3/surveys/${id}/settings/`, { json: settings })
    return `/api/v3/surveys/${id}/responses/`
  }

  test.each([
    ['without a limit', {}],
    ['with a limit of responses', { max_responses: 5 }],
  ])('is stored once in a survey %s', async (_, settings) => {
    const address = await survey(settings)
    const send = () => owner.post(address, { json: { q1: 'Because', _key: key, _completed: 1 } })
    const first = await send()
    expect([first.status, first.body.key]).toEqual([201, key])
    const changes = async () => (await owner.get(`${address}changes/`)).body.results
    const before = [await changes(), (await owner.get(address)).body]
    expect(before[1].count).toBe(1)
    const repeated = [await send(), ...(await Promise.all([send(), send(), send()]))]
    for (const { status, body } of repeated) expect([status, body]).toEqual([201, first.body])
    expect([await changes(), (await owner.get(address)).body]).toEqual(before)
  })

  test('returns 400 if the key is not 40 hexadecimal digits', async () => {
    const { status, body } = await owner.post(await survey(), { json: { q1: 'Because', _key: 'abc' } })
    expect([status, body.errors[0].field]).toEqual([400, '_key'])
  })
})
