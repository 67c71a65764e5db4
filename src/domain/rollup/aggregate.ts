import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { type Counts, countsOf, distinct, keysOf, type Predicate } from './predicate.ts'

/** Counts taken in one pass over the responses. PostgreSQL allows 1664 columns; a survey with more takes several passes. */
const AT_ONCE = 1_000

/** PostgreSQL cuts the name of a column there, in bytes. */
const LONGEST_NAME = 63

type Column = 'text' | 'jsonb'

/** The keys that are taken out of a response at once, and as what: a list as JSON, anything else as text. */
function columnsFor(predicates: readonly Predicate[]): Map<string, Column> {
  const columns = new Map<string, Column>()
  for (const predicate of predicates)
    for (const key of keysOf(predicate)) {
      if (Buffer.byteLength(key) > LONGEST_NAME) continue
      const isList = predicate.kind === 'chosen' || predicate.kind === 'placed'
      if (isList || !columns.has(key)) columns.set(key, isList ? 'jsonb' : 'text')
    }
  return columns
}

/** All answers that are counted, read out of the JSON once a response and not once a count. */
function given(columns: ReadonlyMap<string, Column>): RawBuilder<unknown> {
  const declared = [...columns].map(([key, type]) => sql`${sql.id(key)} ${sql.raw(type)}`)
  return sql`jsonb_to_record(response.answers) as given(${sql.join(declared.length > 0 ? declared : [sql`_ text`])})`
}

function condition(predicate: Predicate, columns: ReadonlyMap<string, Column>): RawBuilder<SqlBool> {
  const said = answerCondition(predicate, columns)
  return 'complete' in predicate && predicate.complete ? sql`(response.completed = 1 and ${said})` : said
}

function answerCondition(predicate: Predicate, columns: ReadonlyMap<string, Column>): RawBuilder<SqlBool> {
  const json = (key: string) =>
    columns.get(key) === 'jsonb' ? sql`given.${sql.id(key)}` : sql`response.answers -> ${key}::text`
  const known = (key: string) =>
    columns.has(key) ? sql`given.${sql.id(key)} is not null` : sql`response.answers -> ${key}::text is not null`
  switch (predicate.kind) {
    case 'state':
      return sql`response.completed = ${predicate.state}::integer`
    case 'value':
      return columns.get(predicate.key) === 'text'
        ? sql`given.${sql.id(predicate.key)} = ${predicate.value}::text`
        : sql`response.answers ->> ${predicate.key}::text = ${predicate.value}::text`
    case 'answered':
      return sql`(${sql.join(predicate.keys.map(known), sql` or `)})`
    case 'chosen':
      return sql`${json(predicate.key)} @> ${String(predicate.index)}::jsonb`
    case 'placed':
      return sql`${json(predicate.key)} ->> ${predicate.place}::integer = ${String(predicate.index)}::text`
    case 'odd':
      return predicate.unlike === 'list'
        ? sql`${json(predicate.key)} @? '$[*] ? (@.type() <> "number")'`
        : sql`jsonb_typeof(response.answers -> ${predicate.key}::text) <> ${predicate.unlike}::text`
  }
}

export type Row = Record<string, number>

/** `count(*) filter (where …)` for some slots as c0, c1, …, over {@link given}. */
export function counting(predicates: readonly Predicate[]) {
  const columns = columnsFor(predicates)
  return {
    from: given(columns),
    counts: sql.join(
      predicates.map(
        (predicate, at) => sql`count(*) filter (where ${condition(predicate, columns)}) as ${sql.id(`c${at}`)}`,
      ),
    ),
  }
}

/** A text of ones and zeros for each slot: which responses say it, in the order of their ids. */
export function marking(predicates: readonly Predicate[]) {
  const columns = columnsFor(predicates)
  return {
    from: given(columns),
    bits: sql.join(
      predicates.map(
        (predicate) =>
          sql`string_agg(case when ${condition(predicate, columns)} then '1' else '0' end, '' order by response.id)`,
      ),
    ),
  }
}

export function* portions<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += AT_ONCE) yield items.slice(from, from + AT_ONCE)
}

/**
 * Counts in the database, by passing over the responses once with one aggregate a slot: PostgreSQL shares that among
 * its workers, whatever the answers are, and gives back one row. (Spreading each response out into rows and grouping
 * them takes twice as long, and a question that used to be a text would make a group of every text.)
 */
export async function countPredicates(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  asked: readonly Predicate[],
): Promise<Counts> {
  const predicates = distinct(asked)
  const counts: number[] = []
  for (const some of portions(predicates)) {
    const { from, counts: columns } = counting(some)
    const found = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(['completed', 'answers'])
    const { rows } = await sql<Row>`select ${columns} from ${found} as response, ${from}`.execute(db)
    counts.push(...some.map((_, at) => rows[0]?.[`c${at}`] ?? 0))
  }
  return countsOf(predicates, counts)
}
