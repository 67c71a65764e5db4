import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { parseFilters } from '../../../src/domain/response/filter/filter.ts'
import { pageOfResponses } from '../../../src/domain/response/list/page.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { questionnaire } from '../../support/colours.ts'
import { freshDatabase } from '../../support/database.ts'

/** Responses of each of two surveys, in turns; every tenth of them is gone. */
const MADE = 20_000
const KEPT = MADE * 0.9

let pool: pg.Pool
let db: Kysely<Tables>
let drop: () => Promise<void>
let ids: number[]
/** What was asked of the database, in order. */
let asked: { sql: string; parameters: readonly unknown[] }[] = []

beforeAll(async () => {
  const database = await freshDatabase()
  drop = database.drop
  pool = new pg.Pool({ connectionString: database.url })
  pool.on('error', () => undefined)
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      asked.push(query)
    },
  })
  await pool.query(`insert into response (survey_id, collector_id, key, created_at, updated_at, answers)
    select 1 + n % 2, 1, decode(md5(n::text), 'hex'), now(), now(), jsonb_build_object('one', n % 3, 'name', repeat('x', 200))
    from generate_series(0, ${2 * MADE - 1}) n`)
  await pool.query('delete from response where id % 20 in (1, 2)')
  await pool.query('insert into survey_feed (survey_id, responses) select survey_id, count(*) from response group by 1')
  await pool.query('vacuum analyze response')
  const { rows } = await pool.query<{ id: number }>('select id from response where survey_id = 1 order by id')
  ids = rows.map(({ id }) => Number(id))
})
afterAll(async () => {
  await db.destroy()
  await drop()
})

const page = async (offset: number, limit: number, query = '') => {
  asked = []
  const filters = parseFilters(query, questionnaire, 'strict', new Set())
  const { total, rows } = await pageOfResponses(db, { id: 1 }, filters, { offset, limit })
  return { total: Number(total), ids: rows.map(({ id }) => Number(id)) }
}

/** The plan of a statement as it ran: its text, and how many rows all its nodes handed on. */
async function planOf({ sql, parameters }: (typeof asked)[number]) {
  const { rows } = await pool.query(`explain (analyze, costs off, timing off, summary off) ${sql}`, [...parameters])
  const text = rows.map((row) => row['QUERY PLAN']).join('\n')
  const handed = [...text.matchAll(/actual rows=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  return { text, handed }
}

test.each([
  0,
  1,
  50,
  1_999,
  2_000,
  2_001,
  KEPT / 2,
  KEPT / 2 + 1,
  KEPT - 51,
  KEPT - 50,
  KEPT - 1,
  KEPT,
  KEPT + 7,
  2 ** 52,
])('offset %i gives the responses that stand there, and all are counted', async (offset) => {
  expect(await page(offset, 50)).toEqual({ total: KEPT, ids: ids.slice(offset, offset + 50) })
})

test('a survey that was never answered', async () => {
  const empty = await pageOfResponses(db, { id: 3 }, [], { offset: 0, limit: 50 })
  expect(empty).toEqual({ total: 0, rows: [] })
})

test.each([0, 9_000, KEPT - 100])(
  'offset %i is found in the primary key, without reading the table',
  async (offset) => {
    await page(offset, 50)
    for (const query of asked.filter(({ sql }) => sql.includes('"response"'))) {
      const { text } = await planOf(query)
      expect(text).toContain('response_pkey')
      expect(text).not.toMatch(/Seq Scan on response|Sort/)
    }
  },
)

test('the far end is as near as the start', async () => {
  await page(KEPT - 100, 50)
  const { handed } = await planOf(asked.at(-1)!)
  expect(handed).toBeLessThan(1_000)
})

test('a filtered page goes through one survey only, by the primary key', async () => {
  const { total, ids: found } = await page(0, 50, 'one=1')
  expect(found).toHaveLength(50)
  expect(total).toBeGreaterThan(KEPT / 4)
  const { text } = await planOf(asked.find(({ sql }) => sql.includes('order by "id"'))!)
  expect(text).toMatch(/Index Scan using response_pkey/)
  expect(text).toMatch(/Index Cond: \(survey_id = '1'::bigint\)/)
})
