import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Filter } from '../response/filter.ts'
import { whereResponses } from '../response/where.ts'
import type { Tables } from '../tables.ts'
import { type Counts, type Slot, slotName } from './slot.ts'

/** Counts taken in one pass over the responses. PostgreSQL allows 1664 columns; a survey with more takes several passes. */
const AT_ONCE = 1_000

const answer = (key: string) => sql`response.answers -> ${key}::text`

function condition(slot: Slot): RawBuilder<SqlBool> {
  switch (slot.kind) {
    case 'state':
      return sql`response.completed = ${slot.state}::integer`
    case 'value':
      return sql`response.answers ->> ${slot.key}::text = ${slot.value}::text`
    case 'answered':
      return sql`coalesce(${sql.join(slot.keys.map(answer))}) is not null`
    case 'chosen':
      return sql`${answer(slot.key)} @> ${String(slot.index)}::jsonb`
    case 'placed':
      return sql`${answer(slot.key)} ->> ${slot.place}::integer = ${String(slot.index)}::text`
  }
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
  const slots = [...new Map(asked.map((slot) => [slotName(slot), slot])).values()]
  const counts = new Map<string, number>()
  for (let from = 0; from < slots.length; from += AT_ONCE) {
    const some = slots.slice(from, from + AT_ONCE)
    const row: Record<string, number> = await db
      .selectFrom('response')
      .where(whereResponses(surveyId, filters))
      .select(some.map((slot, at) => sql<number>`count(*) filter (where ${condition(slot)})`.as(`c${at}`)))
      .executeTakeFirstOrThrow()
    for (const [at, slot] of some.entries()) counts.set(slotName(slot), row[`c${at}`] ?? 0)
  }
  return (slot) => counts.get(slotName(slot)) ?? 0
}
