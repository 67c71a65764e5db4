import { once } from 'node:events'
import { type IncomingMessage, get as request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import type { SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import { storeResponses, surveyWithQuestions, table } from '../../support/exports.ts'
import { readSav } from '../../support/read-sav.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Person, useWorld } from '../../support/world.ts'

/** More responses than all buffers between PostgreSQL and a client hold, so that an export waits for its client. */
const RESPONSES = 20_000

const world = useWorld()
let ann: Person
let survey: SurveySnapshot
const path = (format = 'csv') => `/api/v3/surveys/${survey.id}/${format}/`

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await surveyWithQuestions(world, ann, 'Long', [{ idname: 'text-response', id: 'text', title: 'Text' }])
  await world.application.services.pool.query(
    `insert into response (survey_id, collector_id, key, answers, created_at, updated_at)
     select $1, $2, decode(lpad(to_hex(n), 40, '0'), 'hex'), jsonb_build_object('text', repeat('long ', 200)), $3, $3
     from generate_series(1, $4::integer) n`,
    [survey.id, survey.defaultCollector.id, world.now, RESPONSES],
  )
})

/** Starts an export whose client reads the first bytes and then pauses. */
async function startExport(format = 'csv'): Promise<IncomingMessage> {
  const exportRequest = request(new URL(path(format), world.base), {
    headers: { authorization: ann.authorization! },
    agent: false,
  })
  const [reply] = (await once(exportRequest, 'response')) as [IncomingMessage]
  // A reset is an error of the request and of the reply.
  exportRequest.on('error', () => undefined)
  await once(reply, 'readable')
  return reply
}

/** Returns the PostgreSQL sessions that are sending an export. */
async function exportSessions(): Promise<number[]> {
  const { rows } = await world.application.services.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and query like 'copy (%'`,
  )
  return rows.map(({ pid }) => pid)
}

const connectionsInUse = () => world.application.services.pool.totalCount - world.application.services.pool.idleCount

afterEach(async () => {
  await waitUntil(async () => (await exportSessions()).length === 0, 5_000)
  await waitUntil(() => connectionsInUse() === 0, 5_000)
})

describe('exportCsv', () => {
  test('writes every response in order', async () => {
    const records = table((await ann.get(`${path()}?include_key=1&include=text`)).text)
    expect(records).toHaveLength(RESPONSES + 1)
    const ids = records.slice(1).map((record) => Number(record[1]))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  test('releases the database connection when the client disconnects', async () => {
    const reply = await startExport()
    await waitUntil(async () => (await exportSessions()).length === 1, 5_000)
    expect(connectionsInUse()).toBe(1)
    reply.destroy()
    await waitUntil(async () => (await exportSessions()).length === 0, 5_000)
    expect(connectionsInUse()).toBe(0)
    expect(world.application.services.pool.waitingCount).toBe(0)
  })

  test.each(['csv', 'sav'])(
    'closes the connection of the client when the export of %s fails halfway',
    async (format) => {
      const reply = await startExport(format)
      expect(reply.statusCode).toBe(200)
      await waitUntil(async () => (await exportSessions()).length === 1, 5_000)
      await world.application.services.pool.query('select pg_terminate_backend($1::integer)', await exportSessions())
      const failure = await reply.toArray().then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error,
      )
      expect(failure?.code).toBe('ECONNRESET')
      expect(reply.complete).toBe(false)
    },
  )

  test('resets the connection of a client that speaks HTTP/1.0 when the export fails halfway', async () => {
    const { hostname, port } = new URL(world.base)
    const client = connect(Number(port), hostname).pause()
    client.write(`GET ${path()} HTTP/1.0\r\nAuthorization: ${ann.authorization}\r\n\r\n`)
    await waitUntil(async () => (await exportSessions()).length === 1, 5_000)
    await world.application.services.pool.query('select pg_terminate_backend($1::integer)', await exportSessions())
    // An orderly end would be the end of the body.
    await expect(client.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('returns the headers of GET for HEAD and exports nothing', async () => {
    const querySpy = jest.spyOn(pg.Client.prototype, 'query')
    const reply = await ann.head(path())
    await waitUntil(() => connectionsInUse() === 0, 5_000)
    const texts = querySpy.mock.calls.map(([query]) => String((query as unknown as { text?: string }).text ?? query))
    querySpy.mockRestore()
    expect(texts.filter((text) => text.startsWith('copy'))).toEqual([])
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="long.csv"')
    expect(reply.text).toBe('')
  })

  test('excludes responses that arrive during the export', async () => {
    const reply = await startExport()
    await waitUntil(async () => (await exportSessions()).length === 1, 5_000)
    const [late] = await storeResponses(world, survey, [{ answers: { text: 'late' } }])
    const rest = Buffer.concat(await reply.toArray()).toString()
    expect(rest).not.toContain(`,${late},`)
    expect((await ann.get(path())).text).toContain(`,${late},`)
  })

  test('counts in the header of a system file exactly the responses of the file', async () => {
    const reply = await startExport('sav')
    await waitUntil(async () => (await exportSessions()).length === 1, 5_000)
    await storeResponses(world, survey, [{ answers: { text: 'x'.repeat(5_000) } }])
    const { cases, rows, variables } = readSav(Buffer.concat(await reply.toArray()))
    expect(rows).toHaveLength(cases)
    // The text that arrived later does not widen the variable.
    expect(variables.find(({ name }) => name === 'text')!.width).toBe(1_000)
    expect(new Set(rows.map(({ text }) => String(text).length))).toEqual(new Set([4, 999]))
  })
})
