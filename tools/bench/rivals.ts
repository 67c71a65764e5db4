// Minimal servers with which the service is compared. servers.ts starts each kind in a separate process. `echo` returns
// the parsed form and uses no database. `single` runs one INSERT for each request. `plain` stores the waiting requests
// with one INSERT, without change feed and counters. `bare` stores the waiting requests with the statement of the
// service. `list` returns the first page of responses as JSON.
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { parse } from 'node:querystring'
import Koa, { type Context } from 'koa'
import { Pool } from 'pg'
import { batchStatement } from '../../src/domain/response/submit/batch.ts'

const [kind = '', databaseUrl = '', survey = ''] = process.argv.slice(2)
const surveyId = Number(survey)
const pool = new Pool({ connectionString: databaseUrl, max: 8 })

interface Row {
  key: Buffer
  answers: string
}

async function formOf(ctx: Context): Promise<Row> {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
  return { key: randomBytes(20), answers: JSON.stringify(parse(Buffer.concat(chunks).toString())) }
}

const COLUMNS = 'survey_id, collector_id, key, answers, created_at, updated_at'
const SINGLE = `insert into response (${COLUMNS}) values ($1, 1, $2, $3::jsonb, $4, $4) returning id`
const PLAIN = `insert into response (${COLUMNS})
  select survey_id, 1, key, answers::jsonb, at, at
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::timestamptz[]) as row(survey_id, key, answers, at)
  returning id`

const all = <T>(rows: readonly Row[], value: T): T[] => rows.map(() => value)

const plain = (rows: readonly Row[]) => ({
  name: 'plain',
  text: PLAIN,
  values: [all(rows, surveyId), rows.map(({ key }) => key), rows.map(({ answers }) => answers), all(rows, new Date())],
  outcomesOf: (stored: readonly { id: number }[]) => stored.map(({ id }) => id),
})

const bare = (rows: readonly Row[]) =>
  batchStatement(
    rows.map(({ key, answers }) => ({
      surveyId,
      revision,
      collectorId: 1,
      key,
      completed: 0,
      answers,
      createdAt: new Date(),
      locale: null,
      completionTime: null,
      weightedScore: null,
      language: '',
      username: '',
      ipAddress: '',
      getVariables: null,
      referrer: null,
      pagepath: null,
      inviteCode: null,
      inviteEmail: null,
      inviteName: null,
    })),
  )

/** Collects requests while the previous batch is stored, and then stores the collected requests as one batch. */
function coalescing(statement: typeof plain | typeof bare): (row: Row) => Promise<unknown> {
  const queue: { row: Row; resolve(id: unknown): void; reject(error: unknown): void }[] = []
  let busy = false
  async function drain() {
    busy = true
    while (queue.length) {
      const batch = queue.splice(0, 256)
      try {
        const { outcomesOf, ...query } = statement(batch.map(({ row }) => row))
        const { rows } = await pool.query(query)
        for (const [index, id] of outcomesOf(rows).entries()) batch[index]!.resolve(id)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    busy = false
  }
  return (row) =>
    new Promise((resolve, reject) => {
      queue.push({ row, resolve, reject })
      if (!busy) void drain()
    })
}

const kinds: Record<string, (row: Row) => unknown> = {
  echo: ({ answers }) => answers,
  single: async ({ key, answers }) =>
    (await pool.query({ name: 'single', text: SINGLE, values: [surveyId, key, answers, new Date()] })).rows[0].id,
  plain: coalescing(plain),
  bare: coalescing(bare),
}

/** The minimum for a list of responses: two queries in parallel, and JSON of their rows. */
async function firstPage(): Promise<unknown> {
  const [feed, page] = await Promise.all([
    pool.query({ name: 'count', text: 'select responses from survey_feed where survey_id = $1', values: [surveyId] }),
    pool.query({
      name: 'page',
      text: 'select * from response where survey_id = $1 order by id limit 50',
      values: [surveyId],
    }),
  ])
  return { count: Number(feed.rows[0].responses), results: page.rows }
}

const store = kind === 'list' ? firstPage : kinds[kind]
if (!store) throw new Error(`Unknown server: ${kind}`)
const { rows } = await pool.query('select revision from survey where id = $1', [surveyId])
const revision: number = rows[0]?.revision ?? 1
const app = new Koa()
app.use(async (ctx) => {
  if (kind === 'list') {
    ctx.body = await firstPage()
    return
  }
  const row = await formOf(ctx)
  const id = await store(row)
  ctx.body = kind === 'echo' ? id : { id, key: row.key.toString('hex') }
})
const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
