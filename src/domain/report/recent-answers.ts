import { type Kysely, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'

/** A text that a respondent wrote. */
export interface TextAnswer {
  responseId: number
  value: string
  at: Date
}

/** Texts shown of each question. */
const MOST = 5
/** Questions looked through in one statement. */
const AT_ONCE = 100

/** The last few answers under each of the keys, the newest first: read from the end of the primary key, not all of them. */
export async function recentAnswers(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, TextAnswer[]>> {
  const found = new Map<string, TextAnswer[]>(keys.map((key) => [key, []]))
  const newest = (key: string) =>
    db
      .selectFrom('response')
      .where(whereResponses(surveyId, filters))
      .where(sql<boolean>`response.answers -> ${key}::text is not null`)
      .select([
        sql<string>`${key}::text`.as('key'),
        'response.id',
        'response.created_at',
        sql<string>`response.answers ->> ${key}::text`.as('value'),
      ])
      .orderBy('response.id', 'desc')
      .limit(MOST)
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const parts = keys.slice(from, from + AT_ONCE).map((key) => sql`(${newest(key)})`)
    const { rows } = await sql<{ key: string; id: number; created_at: string; value: string }>`${sql.join(
      parts,
      sql` union all `,
    )}`.execute(db)
    for (const row of rows)
      found.get(row.key)!.push({ responseId: row.id, value: row.value, at: new Date(row.created_at) })
  }
  for (const answers of found.values()) answers.sort((a, b) => b.responseId - a.responseId)
  return found
}
