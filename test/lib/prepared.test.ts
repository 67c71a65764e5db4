import { describe, expect, test } from '@jest/globals'
import { preparedStatements } from '../../src/lib/postgres-client.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Returns an empty list of prepared statements, and a function that runs statements on one connection. */
function emptyList() {
  const { prepare, PreparingClient } = preparedStatements()
  /** @returns the results or errors of the statements, and the prepared statements of the connection */
  const execute = async (texts: readonly string[]) => {
    const client = new PreparingClient(world.databaseUrl)
    await client.connect()
    try {
      const results: unknown[] = []
      for (const text of texts)
        results.push(await client.query<{ sum: number }>(text, [2, 3]).then(({ rows }) => rows[0]?.sum, String))
      const { rows } = await client.query<{ statement: string }>('select statement from pg_prepared_statements')
      return { results, prepared: rows.map(({ statement }) => statement) }
    } finally {
      await client.end()
    }
  }
  return { prepare, execute }
}

describe('prepare', () => {
  test('prepares a statement once and does not change its result', async () => {
    const { prepare, execute } = emptyList()
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
    const { prepare, execute } = emptyList()
    const text = 'select $1::integer / ($2::integer - 3) as sum'
    prepare(text)
    const { results } = await execute([text, 'select $1::integer * $2::integer as sum'])
    expect(results).toEqual(['error: division by zero', 6])
  })

  test('limits the prepared statements of a connection', async () => {
    const { prepare, execute } = emptyList()
    const texts = Array.from({ length: 40 }, (_, n) => `select ${n} + $1::integer + $2::integer as sum`)
    texts.forEach(prepare)
    const { results, prepared } = await execute(texts)
    expect(results).toEqual(texts.map((_, n) => n + 5))
    expect(prepared.length).toBeLessThanOrEqual(16)
  })
})
