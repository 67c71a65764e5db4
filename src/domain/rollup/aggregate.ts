import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { answerKeys, type Counts, createCounts, distinctPredicates, type Predicate } from './predicate.ts'

/** Maximum number of counts per statement. PostgreSQL supports 1,664 columns. */
const MAX_COUNTS_PER_STATEMENT = 1_000

/** Maximum length of a column name. PostgreSQL truncates longer names. */
const MAX_COLUMN_NAME_BYTES = 63

type ColumnType = 'text' | 'jsonb'

/** Returns the columns to extract from answers, by response key: lists as JSON, all others as text. */
function answerColumns(predicates: readonly Predicate[]): Map<string, ColumnType> {
  const columns = new Map<string, ColumnType>()
  for (const predicate of predicates)
    for (const key of answerKeys(predicate)) {
      if (Buffer.byteLength(key) > MAX_COLUMN_NAME_BYTES) continue
      const isList = predicate.kind === 'chosen' || predicate.kind === 'placed'
      if (isList || !columns.has(key)) columns.set(key, isList ? 'jsonb' : 'text')
    }
  return columns
}

/** Builds the row source `answer`, with which the JSON of a response is parsed once and not once for each count. */
function answerRecord(columns: ReadonlyMap<string, ColumnType>): RawBuilder<unknown> {
  const declared = [...columns].map(([key, type]) => sql`${sql.id(key)} ${sql.raw(type)}`)
  return sql`jsonb_to_record(response.answers) as answer(${sql.join(declared.length > 0 ? declared : [sql`_ text`])})`
}

function condition(predicate: Predicate, columns: ReadonlyMap<string, ColumnType>): RawBuilder<SqlBool> {
  const test = answerCondition(predicate, columns)
  return 'complete' in predicate && predicate.complete ? sql`(response.completed = 1 and ${test})` : test
}

function answerCondition(predicate: Predicate, columns: ReadonlyMap<string, ColumnType>): RawBuilder<SqlBool> {
  const json = (key: string) =>
    columns.get(key) === 'jsonb' ? sql`answer.${sql.id(key)}` : sql`response.answers -> ${key}::text`
  const exists = (key: string) =>
    columns.has(key) ? sql`answer.${sql.id(key)} is not null` : sql`response.answers -> ${key}::text is not null`
  switch (predicate.kind) {
    case 'state':
      return sql`response.completed = ${predicate.state}::integer`
    case 'value':
      return columns.get(predicate.key) === 'text'
        ? sql`answer.${sql.id(predicate.key)} = ${predicate.value}::text`
        : sql`response.answers ->> ${predicate.key}::text = ${predicate.value}::text`
    case 'answered':
      return sql`(${sql.join(predicate.keys.map(exists), sql` or `)})`
    case 'chosen':
      return sql`${json(predicate.key)} @> ${String(predicate.index)}::jsonb`
    case 'placed':
      return sql`${json(predicate.key)} ->> ${predicate.place}::integer = ${String(predicate.index)}::text`
    case 'typeMismatch':
      return predicate.expected === 'list'
        ? sql`${json(predicate.key)} @? '$[*] ? (@.type() <> "number")'`
        : sql`jsonb_typeof(response.answers -> ${predicate.key}::text) <> ${predicate.expected}::text`
  }
}

/** A row of counts: columns c0, c1, … in the order of the predicates. */
export type CountRow = Record<string, number>

/** Builds the columns `count(*) filter (where …) as c0, …` and the additional row source that they need. */
export function countColumns(predicates: readonly Predicate[]) {
  const columns = answerColumns(predicates)
  return {
    from: answerRecord(columns),
    counts: sql.join(
      predicates.map(
        (predicate, index) => sql`count(*) filter (where ${condition(predicate, columns)}) as ${sql.id(`c${index}`)}`,
      ),
    ),
  }
}

/** Builds, for each predicate, a text of ones and zeros: one digit for each response, in order of id. */
export function bitColumns(predicates: readonly Predicate[]) {
  const columns = answerColumns(predicates)
  return {
    from: answerRecord(columns),
    bits: sql.join(
      predicates.map(
        (predicate) =>
          sql`string_agg(case when ${condition(predicate, columns)} then '1' else '0' end, '' order by response.id)`,
      ),
    ),
  }
}

/** Splits predicates into batches that one statement can count. */
export function* predicateBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += MAX_COUNTS_PER_STATEMENT)
    yield items.slice(from, from + MAX_COUNTS_PER_STATEMENT)
}

/**
 * Counts predicates over the responses that pass every filter. Reads the responses once, with one aggregate per
 * predicate, which PostgreSQL runs in parallel. (The alternative is to unnest and group the answers. It takes twice as
 * long, and creates a group for each text if the question was a text question before.)
 */
export async function countPredicates(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  requested: readonly Predicate[],
): Promise<Counts> {
  const predicates = distinctPredicates(requested)
  const counts: number[] = []
  for (const batch of predicateBatches(predicates)) {
    const { from, counts: columns } = countColumns(batch)
    const matching = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(['completed', 'answers'])
    const { rows } = await sql<CountRow>`select ${columns} from ${matching} as response, ${from}`.execute(db)
    counts.push(...batch.map((_, index) => rows[0]?.[`c${index}`] ?? 0))
  }
  return createCounts(predicates, counts)
}
