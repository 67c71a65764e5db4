import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { parseFilters } from '../../../src/domain/response/filter/filter.ts'
import { pageOfResponses } from '../../../src/domain/response/list/page.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { questionnaire } from '../../support/colours.ts'
import { createTestDatabase } from '../../support/database.ts'

/**
 * The number of responses that are stored for each of two surveys, alternately. Every tenth response is then deleted.
 */
const SUBMITTED = 20_000
const REMAINING = SUBMITTED * 0.9

let pool: pg.Pool
let db: Kysely<Tables>
let drop: () => Promise<void>
let ids: number[]
/** Statements sent to the database, in order. */
let statements: { sql: string; parameters: readonly unknown[] }[] = []

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  pool = new pg.Pool({ connectionString: database.url })
  pool.on('error', () => undefined)
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      statements.push(query)
    },
  })
  await pool.query(`insert into response (survey_id, collector_id, key, created_at, updated_at, answers)
    select 1 + n % 2, 1, decode(md5(n::text), 'hex'), now(), now(), jsonb_build_object('one', n % 3, 'name', repeat('x', 200))
    from generate_series(0, ${2 * SUBMITTED - 1}) n`)
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
  statements = []
  const filters = parseFilters(query, questionnaire, 'strict', new Set())
  const { total, rows } = await pageOfResponses(db, { id: 1 }, filters, { offset, limit })
  return { total: Number(total), ids: rows.map(({ id }) => Number(id)) }
}

/**
 * Returns the plan of an executed statement: the text of the plan, and the number of rows that all its nodes returned.
 */
async function planOf({ sql, parameters }: (typeof statements)[number]) {
  const { rows } = await pool.query(`explain (analyze, costs off, timing off, summary off) ${sql}`, [...parameters])
  const text = rows.map((row) => row['QUERY PLAN']).join('\n')
  const rowsReturned = [...text.matchAll(/actual rows=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  return { text, rowsReturned }
}

test.each([
  0,
  1,
  50,
  1_999,
  2_000,
  2_001,
  REMAINING / 2,
  REMAINING / 2 + 1,
  REMAINING - 51,
  REMAINING - 50,
  REMAINING - 1,
  REMAINING,
  REMAINING + 7,
  2 ** 52,
])('returns the responses at offset %i and the total', async (offset) => {
  expect(await page(offset, 50)).toEqual({ total: REMAINING, ids: ids.slice(offset, offset + 50) })
})

describe('pageOfResponses', () => {
  test('returns an empty page for a survey without responses', async () => {
    const empty = await pageOfResponses(db, { id: 3 }, [], { offset: 0, limit: 50 })
    expect(empty).toEqual({ total: 0, rows: [] })
  })

  test.each([0, 9_000, REMAINING - 100])(
    'finds offset %i in the primary key without scanning the table',
    async (offset) => {
      await page(offset, 50)
      for (const query of statements.filter(({ sql }) => sql.includes('"response"'))) {
        const { text } = await planOf(query)
        expect(text).toContain('response_pkey')
        expect(text).not.toMatch(/Seq Scan on response|Sort/)
      }
    },
  )

  test('reads fewer than 1,000 rows for the last page of 18,000 responses', async () => {
    await page(REMAINING - 100, 50)
    const { rowsReturned } = await planOf(statements.at(-1)!)
    expect(rowsReturned).toBeLessThan(1_000)
  })

  test('reads a filtered page of one survey by the primary key', async () => {
    const { total, ids: found } = await page(0, 50, 'one=1')
    expect(found).toHaveLength(50)
    expect(total).toBeGreaterThan(REMAINING / 4)
    const { text } = await planOf(statements.find(({ sql }) => sql.includes('order by "id"'))!)
    expect(text).toMatch(/Index Scan using response_pkey/)
    expect(text).toMatch(/Index Cond: \(survey_id = '1'::bigint\)/)
  })
})
