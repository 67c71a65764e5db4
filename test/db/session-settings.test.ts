import { afterAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { useWorld } from '../support/world.ts'

/** Settings of a role or database that change what statements mean, or make them fail. */
const HOSTILE_SETTINGS = {
  datestyle: 'German',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kolkata',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  lock_timeout: '1ms',
  statement_timeout: '40ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '1s',
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c statement_timeout=0' })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const setAll = (name: string) =>
  Object.entries(HOSTILE_SETTINGS).map(
    ([key, value]) => `alter database ${name} set ${key} = ${pg.escapeLiteral(value)}`,
  )

const question = { idname: 'text-response', id: 'drink', title: 'Drink', children: [{ type: 'string' }] }
const structure = { title: 'Drinks', form: [{ type: 'page', children: [question] }] }

const world = useWorld({ realTime: true })

describe('settings of the database that change statements', () => {
  const created = 't_session_settings'
  const server = () => process.env.TEST_SERVER_URL!
  afterAll(() => run(server(), `drop database if exists ${created} with (force)`))

  test('do not prevent migrations', async () => {
    await run(server(), `drop database if exists ${created}`, `create database ${created}`, ...setAll(created))
    const url = new URL(server())
    url.pathname = `/${created}`
    expect((await migrate(url.href)).length).toBeGreaterThan(20)
  }, 120_000)

  test('do not change replies, and cause no error while requests run at the same time', async () => {
    const person = await world.person()
    const { body: survey } = await person.post('/api/v3/surveys/', { json: { name: 'Drinks' } })
    const path = `/api/v3/surveys/${survey.id}/`
    await person.put(`${path}structure/`, { json: structure })
    const before = await person.get(path)
    const name = new URL(world.databaseUrl).pathname.slice(1)
    await run(
      world.databaseUrl,
      ...setAll(name),
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await new Promise((resolve) => setTimeout(resolve, 200))

    expect((await person.get(path)).body).toEqual(before.body)
    expect((await person.post('/api/v3/surveys/', { json: { name: 'Lunch' } })).status).toBe(201)
    const replies = await Promise.all(
      Array.from({ length: 48 }, (_, index) =>
        index % 2
          ? person.post(`${path}responses/`, { json: { drink: 'tea' } })
          : person.put(`${path}`, { json: { name: `Drinks ${index}` } }),
      ),
    )
    expect(replies.filter(({ status }) => status >= 400 && status !== 409)).toEqual([])
    expect(replies.filter(({ status }) => status === 409).length).toBeLessThan(8)
    const { text } = await person.get(`${path}csv/`)
    expect(text.trim().split('\n')).toHaveLength(1 + 24)
  }, 120_000)
})
