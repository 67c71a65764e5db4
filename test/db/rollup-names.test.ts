import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Configuration } from '@mikro-orm/core'
import type { AbstractSqlDriver } from '@mikro-orm/postgresql'
import pg from 'pg'
import { Migration20261122100000_rollup_names as RollupNames } from '../../src/db/migrations/Migration20261122100000_rollup_names.ts'
import { createTestDatabase } from '../support/database.ts'

let client: pg.Client
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await drop()
})

async function run(direction: 'up' | 'down'): Promise<void> {
  const migration = new RollupNames({} as AbstractSqlDriver, {} as Configuration)
  migration[direction]()
  for (const statement of migration.getQueries()) await client.query(String(statement))
}

const names = async () => {
  const { rows } = await client.query(
    `select conname as name from pg_constraint where conrelid::regclass::text like 'response\\_%' order by 1`,
  )
  return rows.map(({ name }) => name)
}

describe('the migration that renames the tables of the rollup', () => {
  test('keeps counts and bitmaps, renames predicates, and can be reverted', async () => {
    const before = await names()
    await run('down')
    expect(await names()).toContain('response_mark_pkey')
    await client.query(`
      insert into account (username, email, name, password_hash, created_at) values ('ann', 'ann@example.org', '', '', now());
      insert into survey (owner_id, name, slug, structure, removed, settings, tags, created_at, updated_at)
        select id, 'Tea', 'tea', '{}', '[]', '{}', '{}', now(), now() from account;
      insert into response_summary (survey_id, seq, last_id, slots, revision)
        select id, 7, 4096, array['{"kind":"state","state":1}', '{"kind":"odd","key":"\\"unlike\\":","unlike":"number"}'], 3 from survey;
      insert into response_chunk (survey_id, number, last_id, counts, marked) select id, 0, 4096, '{4000,3}', 2 from survey;
      insert into response_mark (survey_id, number, slot, bits) select id, 0, 1, B'101' from survey`)

    await run('up')

    expect(await names()).toEqual(before)
    const rollups = await client.query('select seq::text, last_id::text, predicates, revision from response_rollup')
    expect(rollups.rows).toEqual([
      {
        seq: '7',
        last_id: '4096',
        predicates: [
          '{"kind":"state","state":1}',
          JSON.stringify({ kind: 'typeMismatch', key: '"unlike":', expected: 'number' }),
        ],
        revision: 3,
      },
    ])
    const segments = await client.query('select number, counts, indexed_predicates from response_segment')
    expect(segments.rows).toEqual([{ number: 0, counts: [4000, 3], indexed_predicates: 2 }])
    const bitmaps = await client.query('select segment_number, predicate_number, bits::text from response_bitmap')
    expect(bitmaps.rows).toEqual([{ segment_number: 0, predicate_number: 1, bits: '101' }])
  })
})
