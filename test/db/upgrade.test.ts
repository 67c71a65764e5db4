import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrate, migrationNames } from '../../src/db/migrate.ts'
import { schemaOf } from '../support/compare-databases.ts'
import { startServer } from '../support/running-server.ts'

// Each fixture contains the schema that the migrations of a version created, and rows that its API stored. Versions
// whose schema did not change have no fixture of their own: 0.9.0 to 0.9.5 have the schema of 0.8.0.
const fixture = (version: string) => readFileSync(new URL(`fixtures/${version}.sql`, import.meta.url), 'utf8')

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
    ['0.7.0', 50],
    ['0.8.0', 52],
  ])(
    'upgrades the database of version %s to the schema of a new database',
    async (version, migrations) => {
      await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
      await query(url, fixture(version))
      expect(await migrate(url)).toEqual(migrationNames.slice(migrations))
      const template = Object.assign(new URL(url), { pathname: '/t_template' }).href
      expect(await schemaOf(url)).toEqual(await schemaOf(template))
    },
    60_000,
  )
})

describe('serve', () => {
  test.each(['0.7.0', '0.8.0'])(
    'serves the rows of a database of version %s, and accepts its API key and new responses',
    async (version) => {
      await query(process.env.TEST_SERVER_URL!, `create database ${name}`)
      await query(url, fixture(version))
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
