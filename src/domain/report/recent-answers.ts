import { type Kysely, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'

/** A text answer. */
export interface TextAnswer {
  responseId: number
  /** The number of the response on pages. */
  responseNumber: number
  value: string
  at: Date
}

const MAX_ANSWERS_PER_QUESTION = 5
const MAX_QUESTIONS_PER_STATEMENT = 100

/** Returns the most recent answers of each key, newest first. Reads the index of the primary key backwards. */
export async function recentAnswers(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, TextAnswer[]>> {
  const answersByKey = new Map<string, TextAnswer[]>(keys.map((key) => [key, []]))
  const newestOf = (key: string) =>
    db
      .selectFrom('response')
      .where(whereResponses(surveyId, filters))
      .where(sql<boolean>`response.answers -> ${key}::text is not null`)
      .select([
        sql<string>`${key}::text`.as('key'),
        'response.id',
        'response.number',
        'response.created_at',
        sql<string>`response.answers ->> ${key}::text`.as('value'),
      ])
      .orderBy('response.id', 'desc')
      .limit(MAX_ANSWERS_PER_QUESTION)
  for (let from = 0; from < keys.length; from += MAX_QUESTIONS_PER_STATEMENT) {
    const queries = keys.slice(from, from + MAX_QUESTIONS_PER_STATEMENT).map((key) => sql`(${newestOf(key)})`)
    const { rows } = await sql<{
      key: string
      id: number
      number: number
      created_at: string
      value: string
    }>`${sql.join(queries, sql` union all `)}`.execute(db)
    for (const row of rows)
      answersByKey.get(row.key)!.push({
        responseId: row.id,
        responseNumber: row.number,
        value: row.value,
        at: new Date(row.created_at),
      })
  }
  for (const answers of answersByKey.values()) answers.sort((a, b) => b.responseId - a.responseId)
  return answersByKey
}
