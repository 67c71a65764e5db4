import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase } from '../support/database.ts'

describe('createTestDatabase', () => {
  let one: Awaited<ReturnType<typeof createTestDatabase>>
  let two: Awaited<ReturnType<typeof createTestDatabase>>

  beforeAll(async () => {
    ;[one, two] = await Promise.all([createTestDatabase(), createTestDatabase()])
  })
  afterAll(() => Promise.all([one.drop(), two.drop()]))

  test('returns a migrated database', async () => {
    expect(await column(one.url, `select count(*)::int from migration`)).not.toEqual([0])
  })

  test('returns a separate database for each call', async () => {
    await column(one.url, 'create table separate (id int)')
    expect(await column(one.url, `select to_regclass('separate')::text`)).toEqual(['separate'])
    expect(await column(two.url, `select to_regclass('separate')::text`)).toEqual([null])
  })
})

/** Runs a statement. @returns the first column of its rows */
async function column(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows.map(([first]) => first)
  } finally {
    await client.end()
  }
}
