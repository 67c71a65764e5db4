import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { marking } from './aggregate.ts'
import { type Predicate, predicateName } from './predicate.ts'
import { stretchesOf } from './state.ts'

/** Slots marked of a survey at most: a bit each makes 64 bytes of a response, which is no more than an index would take. */
const MOST_MARKS = 512

/** Chunks marked while the sums are held against being changed: for some tens of milliseconds. */
const AT_ONCE = 4

/** A slot that conditions or reports combine with others; the rest only tells when sums may be trusted. */
const isCombined = (predicate: Predicate): boolean =>
  predicate.kind !== 'odd' && !('complete' in predicate && predicate.complete)

/**
 * Notes of each response in a chunk what it says, for chunks of which it is not noted yet. Doing it again finds nothing
 * to do. What is noted goes together with the counts of a chunk: both are right until the change feed names one of its
 * responses, and whoever counts it again throws the marks away (keep.ts). The summary is locked meanwhile, so nobody
 * keeps a newer count under older marks.
 */
export async function writeBitmaps({ em }: Pick<PublicContext, 'em'>, surveyId: number, signal?: AbortSignal) {
  let more = true
  while (more && !signal?.aborted)
    more = await em.fork().transactional((own) => markSome(own.getKysely<Tables>(), surveyId))
}

/** @returns whether there may be more */
async function markSome(db: Kysely<Tables>, surveyId: number): Promise<boolean> {
  const summary = await db
    .selectFrom('response_summary')
    .select('slots')
    .where('survey_id', '=', surveyId)
    .forUpdate()
    .executeTakeFirst()
  if (!summary) return false
  const { slots: names } = summary
  const chunks = await db
    .selectFrom('response_chunk')
    .select(['number', 'last_id', 'marked'])
    .where('survey_id', '=', surveyId)
    .orderBy('number')
    .execute()
  const stretches = stretchesOf(chunks.map(({ last_id }) => last_id))
  const unmarked = chunks.flatMap(({ number, marked }, at) =>
    marked < names.length ? [{ ...stretches[at]!, number }] : [],
  )
  const some = unmarked.slice(0, AT_ONCE)
  if (some.length === 0) return false
  const numbers = some.map(({ number }) => number)
  await db.deleteFrom('response_mark').where('survey_id', '=', surveyId).where('number', 'in', numbers).execute()
  const predicates = names.map((name) => JSON.parse(name) as Predicate)
  if (predicates.filter(isCombined).length <= MOST_MARKS)
    for (const { number, after, upto } of some) await mark(db, { surveyId, number, after, upto }, predicates)
  await db
    .updateTable('response_chunk')
    .set({ marked: names.length })
    .where('survey_id', '=', surveyId)
    .where('number', 'in', numbers)
    .execute()
  return unmarked.length > some.length
}

interface Chunk {
  surveyId: number
  number: number
  after: number
  upto: number
}

/** One statement, so that all marks of a chunk are of one moment and have the same number of bits. */
async function mark(
  db: Kysely<Tables>,
  { surveyId, number, after, upto }: Chunk,
  predicates: readonly Predicate[],
): Promise<void> {
  const combined = predicates.filter(isCombined)
  const places = new Map(predicates.map((predicate, at) => [predicateName(predicate), at + 1]))
  const { from, bits } = marking(combined)
  await sql`insert into response_mark (survey_id, number, slot, bits)
    select ${surveyId}::bigint, ${number}::integer, slot, coalesce(bits, '')::bit varying
    from (
      select array[${bits}] as all_bits from response, ${from}
      where response.survey_id = ${surveyId}::bigint and response.id > ${after}::bigint and response.id <= ${upto}::bigint
    ) as chunk, unnest(all_bits, ${combined.map((predicate) => places.get(predicateName(predicate))!)}::integer[]) as marked(bits, slot)`.execute(
    db,
  )
}
