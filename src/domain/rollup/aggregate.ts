import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { type Counts, countsOf, distinct, keysOf, type Slot } from './predicate.ts'

/** Counts taken in one pass over the responses. PostgreSQL allows 1664 columns; a survey with more takes several passes. */
const AT_ONCE = 1_000

/** PostgreSQL cuts the name of a column there, in bytes. */
const LONGEST_NAME = 63

type Column = 'text' | 'jsonb'

/** The keys that are taken out of a response at once, and as what: a list as JSON, anything else as text. */
function columnsFor(slots: readonly Slot[]): Map<string, Column> {
  const columns = new Map<string, Column>()
  for (const slot of slots)
    for (const key of keysOf(slot)) {
      if (Buffer.byteLength(key) > LONGEST_NAME) continue
      const isList = slot.kind === 'chosen' || slot.kind === 'placed'
      if (isList || !columns.has(key)) columns.set(key, isList ? 'jsonb' : 'text')
    }
  return columns
}

/** All answers that are counted, read out of the JSON once a response and not once a count. */
function given(columns: ReadonlyMap<string, Column>): RawBuilder<unknown> {
  const declared = [...columns].map(([key, type]) => sql`${sql.id(key)} ${sql.raw(type)}`)
  return sql`jsonb_to_record(response.answers) as given(${sql.join(declared.length > 0 ? declared : [sql`_ text`])})`
}

function condition(slot: Slot, columns: ReadonlyMap<string, Column>): RawBuilder<SqlBool> {
  const said = answerCondition(slot, columns)
  return 'complete' in slot && slot.complete ? sql`(response.completed = 1 and ${said})` : said
}

function answerCondition(slot: Slot, columns: ReadonlyMap<string, Column>): RawBuilder<SqlBool> {
  const json = (key: string) =>
    columns.get(key) === 'jsonb' ? sql`given.${sql.id(key)}` : sql`response.answers -> ${key}::text`
  const known = (key: string) =>
    columns.has(key) ? sql`given.${sql.id(key)} is not null` : sql`response.answers -> ${key}::text is not null`
  switch (slot.kind) {
    case 'state':
      return sql`response.completed = ${slot.state}::integer`
    case 'value':
      return columns.get(slot.key) === 'text'
        ? sql`given.${sql.id(slot.key)} = ${slot.value}::text`
        : sql`response.answers ->> ${slot.key}::text = ${slot.value}::text`
    case 'answered':
      return sql`(${sql.join(slot.keys.map(known), sql` or `)})`
    case 'chosen':
      return sql`${json(slot.key)} @> ${String(slot.index)}::jsonb`
    case 'placed':
      return sql`${json(slot.key)} ->> ${slot.place}::integer = ${String(slot.index)}::text`
    case 'odd':
      return slot.unlike === 'list'
        ? sql`${json(slot.key)} @? '$[*] ? (@.type() <> "number")'`
        : sql`jsonb_typeof(response.answers -> ${slot.key}::text) <> ${slot.unlike}::text`
  }
}

export type Row = Record<string, number>

/** `count(*) filter (where …)` for some slots as c0, c1, …, over {@link given}. */
export function counting(slots: readonly Slot[]) {
  const columns = columnsFor(slots)
  return {
    from: given(columns),
    counts: sql.join(
      slots.map((slot, at) => sql`count(*) filter (where ${condition(slot, columns)}) as ${sql.id(`c${at}`)}`),
    ),
  }
}

/** A text of ones and zeros for each slot: which responses say it, in the order of their ids. */
export function marking(slots: readonly Slot[]) {
  const columns = columnsFor(slots)
  return {
    from: given(columns),
    bits: sql.join(
      slots.map(
        (slot) => sql`string_agg(case when ${condition(slot, columns)} then '1' else '0' end, '' order by response.id)`,
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
export async function countSlots(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  asked: readonly Slot[],
): Promise<Counts> {
  const slots = distinct(asked)
  const counts: number[] = []
  for (const some of portions(slots)) {
    const { from, counts: columns } = counting(some)
    const found = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(['completed', 'answers'])
    const { rows } = await sql<Row>`select ${columns} from ${found} as response, ${from}`.execute(db)
    counts.push(...some.map((_, at) => rows[0]?.[`c${at}`] ?? 0))
  }
  return countsOf(slots, counts)
}
