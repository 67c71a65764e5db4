import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Filter } from '../response/filter.ts'
import { whereResponses } from '../response/where.ts'
import type { Tables } from '../tables.ts'
import { type Counts, type Slot, slotName } from './slot.ts'

/** Slots counted in one pass over the responses. A survey with more takes several, instead of a statement without end. */
const AT_ONCE = 500

const answer = (key: string) => sql`response.answers -> ${key}::text`

/** What a response adds to a slot, as text; null for nothing. */
function addend(slot: Slot): RawBuilder<unknown> {
  switch (slot.kind) {
    case 'completed':
      return sql`response.completed::text`
    case 'value':
      return sql`response.answers ->> ${slot.key}::text`
    case 'answered':
      return sql`case when coalesce(${sql.join(slot.keys.map(answer))}) is not null then '' end`
    case 'chosen':
      return sql`case when ${answer(slot.key)} @> ${String(slot.index)}::jsonb then '' end`
    case 'place':
      return sql`${answer(slot.key)} ->> ${slot.place}::integer`
  }
}

/**
 * Counts in the database, by passing over the responses once: every response is spread out into its slots and the
 * slots are counted together, which PostgreSQL does on several cores. Values longer than any index, left over from a
 * question that has changed its type, are not counted.
 */
export async function countSlots(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  asked: readonly Slot[],
): Promise<Counts> {
  const slots = [...new Map(asked.map((slot) => [slotName(slot), slot])).values()]
  const counts = new Map<string, Map<string, number>>(slots.map((slot) => [slotName(slot), new Map()]))
  for (let from = 0; from < slots.length; from += AT_ONCE) {
    const some = slots.slice(from, from + AT_ONCE)
    const rows = some.map((slot, at) => sql`(${at}::integer, ${addend(slot)})`)
    const counted = await db
      .selectFrom('response')
      .innerJoinLateral(
        sql<{ slot: number; value: string }>`(values ${sql.join(rows)})`.as<'v'>(sql`v(slot, value)`),
        (join) => join.onTrue(),
      )
      .where(whereResponses(surveyId, filters))
      .where(sql<boolean>`octet_length(v.value) < 6`)
      .select((eb) => ['v.slot', 'v.value', eb.fn.countAll<number>().as('count')])
      .groupBy(['v.slot', 'v.value'])
      .execute()
    for (const { slot, value, count } of counted) counts.get(slotName(some[slot]!))!.set(value, count)
  }
  return (slot) => counts.get(slotName(slot)) ?? new Map()
}
