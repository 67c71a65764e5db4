import { describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { pino } from 'pino'
import { useWorld } from '../support/world.ts'

const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
const world = useWorld({ settings: { SLOW_QUERY_MS: '1000' }, log })

describe('SLOW_QUERY_MS', () => {
  it('logs slow statements of MikroORM, Kysely and pg without their values, and logs no other statements', async () => {
    const { pool } = world.application.services
    // On a busy machine, statements at the start of the service can be slow too.
    lines.length = 0
    await pool.query('select 1')
    await pool.query(`select pg_sleep(1.1), $1::text as answer, 'it''s secret' as text`, ['a secret'])
    await world.em().execute(`select pg_sleep(1.1), 'secret', E'\\'secret', 4711 as number_2 /* of em */`)
    await sql`select pg_sleep(1.1), ${'secret'}::text as kysely`.execute(world.em().getKysely())
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ msg: 'slow query', query: 'select pg_sleep(?), $1::text as answer, ? as text' }),
      expect.objectContaining({ query: 'select pg_sleep(?), ?, ?, ? as number_2 /* of em */' }),
      expect.objectContaining({ query: 'select pg_sleep(?), $1::text as kysely' }),
    ])
    for (const line of lines) expect(JSON.parse(line).ms).toBeGreaterThanOrEqual(1000)
  })
})
