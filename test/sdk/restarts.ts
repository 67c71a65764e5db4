import { expect } from '@jest/globals'
import pg from 'pg'
import type { RestartingServer } from './restarting-server.ts'

/**
 * The output of the program of a package: the changes, the list and the export that it read, and the number of retries
 * of new responses.
 */
interface Outcome {
  survey: number
  changes: [kind: string, id: number][]
  listed: [id: number, meal: string][]
  exported: string[]
  retries: number
}

const WRITERS = 4
const WRITES = 40

/**
 * The meals that the programs store, sorted. Each write creates one response, and then keeps, edits or deletes it: the
 * number of the write decides. Every tenth write also imports a response.
 */
function expectedMeals(): string[] {
  const meals: string[] = []
  for (let writer = 0; writer < WRITERS; writer += 1)
    for (let n = 0; n < WRITES; n += 1) {
      const meal = `${writer}/${n}`
      if (n % 4 !== 2) meals.push(n % 4 === 1 ? `${meal} edited` : meal)
      if (n % 10 === 3) meals.push(`imported ${meal}`)
    }
  return meals.sort()
}

/** Checks that the program stored every response once, and that list, export and feed have each of them. */
export async function expectStoredOnce(server: RestartingServer, output: string): Promise<Outcome> {
  const outcome = JSON.parse(output) as Outcome
  const { survey, changes, listed, exported } = outcome
  const meals = listed.map(([, meal]) => meal)
  expect(meals.sort()).toEqual(expectedMeals())
  expect(exported.sort()).toEqual(expectedMeals())
  const ids = new Set(listed.map(([id]) => id))
  const createdIds = changes.flatMap(([kind, id]) => (kind === 'created' ? [id] : []))
  const deletedIds = new Set(changes.flatMap(([kind, id]) => (kind === 'deleted' ? [id] : [])))
  expect(new Set(createdIds).size).toBe(createdIds.length)
  expect(createdIds.filter((id) => !deletedIds.has(id)).sort()).toEqual([...ids].sort())
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query('select count(*)::int as responses from response where survey_id = $1', [
      survey,
    ])
    expect(rows).toEqual([{ responses: expectedMeals().length }])
    const surveys = await client.query('select count(*)::int as surveys from survey where id = $1', [survey])
    expect(surveys.rows).toEqual([{ surveys: 1 }])
  } finally {
    await client.end()
  }
  return outcome
}
