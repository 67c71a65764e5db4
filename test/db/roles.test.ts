import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runSql } from '../support/replicated-postgres.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { startServer } from '../support/running-server.ts'
import { startTempPostgres } from '../support/temp-postgres.ts'

const LIMIT_MS = 120_000
const SECRET_KEY = 'a key for tests, long enough to be one'

let postgres: Awaited<ReturnType<typeof startTempPostgres>>
beforeAll(async () => {
  postgres = await startTempPostgres()
}, LIMIT_MS)
afterAll(() => postgres?.stop(), LIMIT_MS)

/** Runs statements as a superuser, in a database. */
async function asSuperuser(database: string, ...statements: string[]): Promise<void> {
  const url = new URL(postgres.url)
  url.pathname = `/${database}`
  for (const statement of statements) await runSql(url.href, statement)
}

/** Returns the URL of a database for a role whose password is its name. */
function urlOf(role: string, database: string): string {
  const url = new URL(postgres.url)
  Object.assign(url, { username: role, password: role, pathname: `/${database}` })
  return url.href
}

const migrate = (url: string) => runCanvass({ DATABASE_URL: url, SECRET_KEY }, 'migrate')
const doctor = async (url: string) =>
  (await runCanvass({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: '/tmp' }, 'doctor')).output
const done = { code: 0, output: expect.stringContaining('The database is up to date.') }

/** Expects one line for each reason on standard error, without a stack. */
async function expectRefusal(url: string, reason: RegExp, lines = 1): Promise<void> {
  const { code, output } = await migrate(url)
  expect([code, output]).toEqual([1, expect.stringMatching(reason)])
  expect(output.trim().split('\n')).toHaveLength(lines)
}

describe('the privileges of the role', () => {
  test(
    'are named together, with the statement that grants each, and suffice when granted',
    async () => {
      await asSuperuser('postgres', `create role ann login password 'ann'`)
      const url = urlOf('ann', 'surveys')
      await expectRefusal(
        url,
        /database surveys does not exist, .* may not create it\. .*create database "?surveys"? owner "?ann"?;/,
      )
      await asSuperuser('postgres', 'create database surveys')
      await expectRefusal(
        url,
        /^The role ann may not create schemas .* grant create on database surveys to ann;\nThe role ann may not create tables .* grant create on schema public to ann;/,
        2,
      )
      await asSuperuser('postgres', 'grant create on database surveys to ann')
      await expectRefusal(
        url,
        /^The role ann may not create tables in the schema public\. .*grant create on schema public to ann;/,
      )
      expect(await doctor(url)).toMatch(
        /error +database\.privileges: The role ann may not create tables in the schema public\./,
      )
      await asSuperuser('surveys', 'grant create on schema public to ann')
      expect(await doctor(url)).toMatch(
        /ok +database\.schema: the database is empty.*ok +database\.contents: not checked/s,
      )
      expect(await migrate(url)).toEqual(done)
      expect(await doctor(url)).toMatch(/ok +database\.privileges: /)
    },
    LIMIT_MS,
  )

  test(
    'suffice with a schema of its own, and do not without any schema',
    async () => {
      await asSuperuser(
        'postgres',
        `create role bob login password 'bob'`,
        'create database own',
        'grant create on database own to bob',
      )
      await asSuperuser('own', 'drop schema public')
      await expectRefusal(
        urlOf('bob', 'own'),
        /^The role bob may use no schema of its search_path .*create schema authorization bob;/,
      )
      await asSuperuser('own', 'create schema authorization bob')
      expect(await migrate(urlOf('bob', 'own'))).toEqual(done)
    },
    LIMIT_MS,
  )

  test(
    'do not include the tables of another role',
    async () => {
      await asSuperuser('postgres', `create role eve login password 'eve'`, 'grant create on database surveys to eve')
      await asSuperuser(
        'surveys',
        'grant create on schema public to eve',
        'grant all on all tables in schema public to eve',
        // This migration can be executed again.
        `delete from migration where name like '%_theme_replica_identity'`,
      )
      await expectRefusal(
        urlOf('eve', 'surveys'),
        /^The role eve may not alter tables that belong to ann\. .*grant ann to eve;/,
      )
      expect(await migrate(urlOf('ann', 'surveys'))).toEqual(done)
    },
    LIMIT_MS,
  )
})

describe('the number of connections that the role may open', () => {
  test(
    'makes the server open fewer, and say why, so that no request fails',
    async () => {
      await asSuperuser(
        'postgres',
        `create role carl login password 'carl' connection limit 18`,
        'create database few owner carl',
      )
      const server = await startServer({ DATABASE_URL: urlOf('carl', 'few'), SECRET_KEY, RATE_LIMIT: 'off' })
      try {
        expect(server.output()).toMatch(
          /The role carl allows 18 connections: each process opens at most 12 instead of 28 .*alter role carl connection limit 34;/,
        )
        const { client } = server
        const { body } = await client.post('/api/v3/surveys/', { json: { name: 'Drinks' } })
        const path = `/api/v3/surveys/${body.id}/`
        // More requests at a time than connections.
        const replies: { status: number }[] = []
        for (let round = 0; round < 6; round += 1)
          replies.push(
            ...(await Promise.all(
              Array.from({ length: 24 }, (_, index) =>
                index % 3 ? client.get(`${path}responses/`) : client.put(path, { json: { name: `Drinks ${index}` } }),
              ),
            )),
          )
        expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
        const [used] = await runSql<{ count: number }>(
          postgres.url,
          `select count(*)::int as count from pg_stat_activity where usename = 'carl'`,
        )
        expect(used!.count).toBeLessThanOrEqual(18)
      } finally {
        await server.stop()
      }
    },
    LIMIT_MS,
  )

  test(
    'is an error at the start if it is too small, and a warning of doctor if it is below the setting',
    async () => {
      await asSuperuser('postgres', 'alter role carl connection limit 8')
      const url = urlOf('carl', 'few')
      const { code, output } = await runCanvass({ DATABASE_URL: url, SECRET_KEY, PORT: '0', DATA_DIR: '/tmp' }, 'serve')
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(
          /^DATABASE_URL: the role carl allows 8 connections, but this server needs at least 17\. .*\n$/,
        ),
      ])
      expect(await doctor(url)).toMatch(
        /warning +database\.connections: One server opens up to \d+ connections, but the role carl allows 8/,
      )
      await asSuperuser('postgres', 'alter role carl connection limit 1')
      expect(await doctor(url)).toMatch(/error +database\.connection: .*too many connections for role "carl"/)
    },
    LIMIT_MS,
  )
})
