import { describe, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { prepare } from '../../src/lib/prepared.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Runs statements on one connection. @returns their results, and the prepared statements of the connection */
const execute = (texts: readonly string[]) =>
  world
    .em()
    .getKysely()
    .connection()
    .execute(async (db) => {
      const results: unknown[] = []
      for (const text of texts) {
        const { rows } = await db.executeQuery<{ sum: number }>(CompiledQuery.raw(text, [2, 3]))
        results.push(rows[0]?.sum)
      }
      const { rows } = await db.executeQuery<{ statement: string }>(
        CompiledQuery.raw('select statement from pg_prepared_statements'),
      )
      return { results, prepared: rows.map(({ statement }) => statement) }
    })

describe('prepare', () => {
  test('prepares a statement once and does not change its result', async () => {
    const text = 'select $1::integer + $2::integer as sum'
    const other = 'select $2::integer - $1::integer as sum'
    expect(await execute([text])).toMatchObject({ results: [5], prepared: expect.not.arrayContaining([text]) })
    prepare(text)
    prepare(text)
    const { results, prepared } = await execute([text, other, text])
    expect(results).toEqual([5, 1, 5])
    expect(prepared.filter((statement) => statement === text)).toHaveLength(1)
    expect(prepared).not.toContain(other)
  })

  test('leaves the connection usable after a failed statement', async () => {
    const text = 'select $1::integer / ($2::integer - 3) as sum'
    prepare(text)
    await expect(execute([text])).rejects.toThrow('division by zero')
    expect((await execute(['select $1::integer * $2::integer as sum'])).results).toEqual([6])
  })

  test('limits the prepared statements of a connection', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => `select ${n} + $1::integer + $2::integer as sum`)
    texts.forEach(prepare)
    const { results, prepared } = await execute(texts)
    expect(results).toEqual(texts.map((_, n) => n + 5))
    expect(prepared.length).toBeLessThanOrEqual(16)
  })
})
