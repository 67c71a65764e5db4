import { expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { prepare } from '../../src/lib/prepared.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** What one connection answers to statements, and the statements that it has prepared by then. */
const ask = (texts: readonly string[]) =>
  world
    .em()
    .getKysely()
    .connection()
    .execute(async (db) => {
      const answers: unknown[] = []
      for (const text of texts) {
        const { rows } = await db.executeQuery<{ sum: number }>(CompiledQuery.raw(text, [2, 3]))
        answers.push(rows[0]?.sum)
      }
      const { rows } = await db.executeQuery<{ statement: string }>(
        CompiledQuery.raw('select statement from pg_prepared_statements'),
      )
      return { answers, prepared: rows.map(({ statement }) => statement) }
    })

test('a statement that is to be prepared is prepared once, and answers the same', async () => {
  const text = 'select $1::integer + $2::integer as sum'
  const other = 'select $2::integer - $1::integer as sum'
  expect(await ask([text])).toMatchObject({ answers: [5], prepared: expect.not.arrayContaining([text]) })
  prepare(text)
  prepare(text)
  const { answers, prepared } = await ask([text, other, text])
  expect(answers).toEqual([5, 1, 5])
  expect(prepared.filter((one) => one === text)).toHaveLength(1)
  expect(prepared).not.toContain(other)
})

test('a faulty statement leaves the connection as it was', async () => {
  const text = 'select $1::integer / ($2::integer - 3) as sum'
  prepare(text)
  await expect(ask([text])).rejects.toThrow('division by zero')
  expect((await ask(['select $1::integer * $2::integer as sum'])).answers).toEqual([6])
})

test('no more are prepared than a connection should hold', async () => {
  const texts = Array.from({ length: 40 }, (_, n) => `select ${n} + $1::integer + $2::integer as sum`)
  texts.forEach(prepare)
  const { answers, prepared } = await ask(texts)
  expect(answers).toEqual(texts.map((_, n) => n + 5))
  expect(prepared.length).toBeLessThanOrEqual(16)
})
