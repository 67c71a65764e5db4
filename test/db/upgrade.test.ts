import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrate, migrationNames } from '../../src/db/migrate.ts'
import { schemaOf } from '../support/compare-databases.ts'
import { startServer } from '../support/running-server.ts'

// Each fixture contains the schema that the migrations of a commit created, and rows that the API of this commit
// stored.
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.sql`, import.meta.url), 'utf8')

/**
 * Returns the SQL for the database of the first commit that had a database: the schema of the first two migrations,
 * without rows. The SQL is the beginning of the fixture of commit 35f3835, which contains both migrations unchanged.
 */
function firstCommit(): string {
  const sql = fixture('35f3835')
  const [schema] = sql.split('-- Migration20261121031500_quotas')
  const [table] = /^create table if not exists migration .*$/m.exec(sql)!
  return `${schema}${table}insert into migration (name) values ('Migration20261121000100_initial'), ('Migration20261121000200_responses');`
}

let name: string
let url: string
beforeEach(() => {
  name = `u_${process.env.JEST_WORKER_ID}_${randomBytes(6).toString('hex')}`
  url = Object.assign(new URL(process.env.TEST_SERVER_URL!), { pathname: `/${name}` }).href
})
afterEach(() => query(process.env.TEST_SERVER_URL!, `drop database if exists ${name} with (force)`))

async function query(address: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('migrate', () => {
  test.each([
    ['the first commit (a791b2c3)', firstCommit, 2],
    ['35f3835', () => fixture('35f3835'), 11],
    ['version 0.4.0', () => fixture('0.4.0'), 37],
    ['version 0.5.0', () => fixture('0.5.0'), 40],
    ['version 0.6.0', () => fixture('0.6.0'), 47],
    ['version 0.7.0', () => fixture('0.7.0'), 50],
    ['version 0.8.0, whose schema later versions have too', () => fixture('0.8.0'), 52],
  ])(
    'upgrades the database of %s to the schema of a new database',
    async (_, sql, migrations) => {
      await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
      await query(url, sql())
      expect(await migrate(url)).toEqual(migrationNames.slice(migrations))
      const template = Object.assign(new URL(url), { pathname: '/t_template' }).href
      expect(await schemaOf(url)).toEqual(await schemaOf(template))
    },
    60_000,
  )
})

describe('serve', () => {
  test.each(['35f3835', '0.4.0', '0.5.0', '0.6.0', '0.7.0', '0.8.0'])(
    'serves the rows of a database of commit or version %s, and accepts its API key and new responses',
    async (commit) => {
      await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
      await query(url, fixture(commit))
      const server = await startServer({
        DATABASE_URL: url,
        SECRET_KEY: 'fixture-secret-key-of-an-early-version',
        // The account that the server creates must not have the name of the account in the fixture.
        ADMIN_USERNAME: 'bea',
        ADMIN_EMAIL: 'bea@example.org',
      })
      const ann = server.client.with('a key for this fixture that is long enough', 'a password for tests')
      const created = await ann.post('/api/v3/surveys/1/responses/', { json: { drink: 1, words: 'new' } })
      const csv = await ann.get('/api/v3/surveys/1/csv/')
      const feed = await ann.get('/api/v3/surveys/1/responses/changes/')
      const contacts = await ann.get('/api/v3/contacts/')
      const filters = await ann.get('/api/v3/surveys/1/filters/')
      await server.stop()
      expect(created.status).toBe(201)
      expect(csv.text.match(/"a, ""quoted"" word \\ 漢 [01]"/g)).toHaveLength(4)
      expect(csv.text).toMatch(/,1,new\r?\n$/)
      expect(feed.body.results.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(contacts.body.results).toMatchObject([{ name: 'Eve', city: 'Oslo' }])
      expect(filters.body.results).toMatchObject([{ name: 'tea' }])
    },
    120_000,
  )
})
