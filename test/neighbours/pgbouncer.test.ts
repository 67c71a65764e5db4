import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { runSql } from '../support/replicated-postgres.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { startServer } from '../support/running-server.ts'
import { startTempPostgres } from '../support/temp-postgres.ts'

const LIMIT_MS = 180_000
const SECRET_KEY = 'a key for tests, long enough to be one'
const REFUSAL =
  /^DATABASE_URL: a connection pooler gives each transaction another session, .* Set the pooler to session mode/

let postgres: Awaited<ReturnType<typeof startTempPostgres>>
beforeAll(async () => {
  postgres = await startTempPostgres()
  await runSql(postgres.url, 'create database canvass')
  await runSql(postgres.url, `alter database canvass set datestyle = 'German'`)
}, LIMIT_MS)
afterAll(() => postgres?.stop(), LIMIT_MS)

describe('PgBouncer', () => {
  test(
    'in session mode with its default settings serves everything, with the settings of the sessions',
    async () => {
      const pooler = await startPgBouncer(postgres.url, 'session', 100)
      const server = await startServer({ DATABASE_URL: pooler.url('canvass'), SECRET_KEY, RATE_LIMIT: 'off' })
      try {
        const { client } = server
        const { body: survey } = await client.post('/api/v3/surveys/', { json: { name: 'Drinks' } })
        const path = `/api/v3/surveys/${survey.id}/`
        const question = { idname: 'text-response', id: 'drink', title: 'Drink', children: [{ type: 'string' }] }
        const structure = { title: 'Drinks', form: [{ type: 'page', children: [question] }] }
        expect((await client.put(`${path}structure/`, { json: structure })).status).toBe(200)
        const replies = await Promise.all(
          Array.from({ length: 48 }, () => client.post(`${path}responses/`, { json: { drink: 'tea' } })),
        )
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
        expect((await client.get(`${path}responses/`)).body.count).toBe(48)
        expect((await client.get(`${path}csv/`)).text.trim().split('\n')).toHaveLength(49)
        expect((await fetch(`${server.base}/readyz`)).status).toBe(200)
        const { output } = await runCanvass(
          { DATABASE_URL: pooler.url('canvass'), SECRET_KEY, DATA_DIR: server.dataDir },
          'doctor',
        )
        expect(output).toMatch(/^ok +database\.connection: /m)
        // A second server can start at the same time: the lock of migrations is released.
        expect((await runCanvass({ DATABASE_URL: pooler.url('canvass'), SECRET_KEY }, 'migrate')).code).toBe(0)
      } finally {
        await server.stop()
        await pooler.stop()
      }
    },
    LIMIT_MS,
  )

  test.each(['transaction', 'statement'] as const)(
    'in %s mode is refused at the start and by doctor, with the reason',
    async (mode) => {
      const pooler = await startPgBouncer(postgres.url, mode, 20)
      try {
        const settings = { DATABASE_URL: pooler.url('canvass'), SECRET_KEY, DATA_DIR: '/tmp', PORT: '0' }
        for (const command of ['serve', 'work', 'migrate'])
          expect([command, await runCanvass(settings, command)]).toEqual([
            command,
            { code: 1, output: expect.stringMatching(REFUSAL) },
          ])
        expect((await runCanvass(settings, 'doctor')).output).toMatch(/error +database\.connection: .*another session/)
      } finally {
        await pooler.stop()
      }
    },
    LIMIT_MS,
  )

  test(
    'with too small a pool is an error with advice, and does not make commands hang',
    async () => {
      const pooler = await startPgBouncer(postgres.url, 'session', 1)
      try {
        const settings = { DATABASE_URL: pooler.url('canvass'), SECRET_KEY, DATA_DIR: '/tmp', PORT: '0' }
        expect(await runCanvass(settings, 'serve')).toEqual({
          code: 1,
          output: expect.stringMatching(/^DATABASE_URL: cannot connect .*a pooler needs a free connection/),
        })
        expect((await runCanvass(settings, 'doctor')).output).toMatch(/error +database\.connection: /)
      } finally {
        await pooler.stop()
      }
    },
    LIMIT_MS,
  )
})
