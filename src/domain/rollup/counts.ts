import { IsolationLevel } from '@mikro-orm/core'
import type { Kysely } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { countStretches } from './id-ranges.ts'
import { type Counts, countsOf, distinct, type Predicate, predicateName } from './predicate.ts'
import { type Counted, saveRollup } from './save.ts'
import { addUp, BEHIND, feedOf, nextEnds, readSummary, type Summary, staleSegments, stretchesOf } from './state.ts'

/** No id is higher: the end of the responses that are in no chunk yet. */
const END = Number.MAX_SAFE_INTEGER

/** Slots kept at most; whoever asks for one more makes those forgotten that are not asked for. */
export const MOST_SLOTS = 4_000

/**
 * Counts all responses of a survey, exactly as they are at one moment, from the sums of chunks that were counted
 * before: only chunks in which something changed since, and what came after the last chunk, are read. What had to be
 * counted is kept for the next time.
 */
export async function sumPredicates(
  context: Pick<PublicContext, 'em'>,
  surveyId: number,
  asked: readonly Predicate[],
): Promise<Counts> {
  const predicates = distinct(asked)
  const isolationLevel = IsolationLevel.REPEATABLE_READ
  const { counts, before, counted } = await context.em
    .fork()
    .transactional((em) => count(em.getKysely<Tables>(), surveyId, predicates), { isolationLevel, readOnly: true })
  if (counted) await saveRollup(context, surveyId, before, counted)
  return counts
}

/** The same inside a transaction of the caller's, which may hold the survey: nothing is kept for the next time. */
export const countFromSums = async (
  db: Kysely<Tables>,
  surveyId: number,
  asked: readonly Predicate[],
): Promise<Counts> => (await count(db, surveyId, distinct(asked))).counts

interface Sums {
  counts: Counts
  before: Summary | undefined
  /** Absent: nothing worth keeping. */
  counted: Counted | undefined
}

/** @param db sees one moment and no other: the feed's last number says which */
async function count(db: Kysely<Tables>, surveyId: number, asked: readonly Predicate[]): Promise<Sums> {
  const seq = await feedOf(db, surveyId)
  const kept = await readSummary(db, surveyId)
  const isNew = asked.some((predicate) => !kept?.slots.includes(predicateName(predicate)))
  const isFull = isNew && distinct([...slotsIn(kept), ...asked]).length > MOST_SLOTS
  const before = isFull ? undefined : kept
  const known = slotsIn(before)
  const added = asked.filter((predicate) => !before?.slots.includes(predicateName(predicate)))
  const predicates = [...known, ...added]

  const ends = before?.ends ?? []
  const stale = before ? await staleSegments(db, surveyId, before) : new Set<number>()
  const fresh = await nextEnds(db, surveyId, before?.lastId ?? 0)
  const chunks = stretchesOf([...ends, ...fresh]).map((stretch, number) => ({ ...stretch, number }))
  const again = chunks.filter(({ number }) => stale.has(number) || number >= ends.length)
  const stay = chunks.filter(({ number }) => !stale.has(number) && number < ends.length)
  const lastId = chunks.at(-1)?.upto ?? 0

  const rows = await countStretches(db, surveyId, [...again, { after: lastId, upto: END }], predicates)
  const tail = rows.pop()!.counts
  const more = added.length > 0 && stay.length > 0 ? await countStretches(db, surveyId, stay, added) : []
  const whole = again.map(({ number, upto }, at) => ({ ...rows[at]!, number, lastId: upto }))
  const extended = more.map((found, at) => ({ ...found, number: stay[at]!.number, lastId: stay[at]!.upto }))

  const totals = before ? await addUp(db, surveyId, stale) : []
  const sum = predicates.map((_, at) => {
    const kept = totals[at] ?? 0
    const place = at - known.length
    const later = place < 0 ? 0 : extended.reduce((all, { counts }) => all + counts[place]!, 0)
    return kept + later + tail[at]! + rows.reduce((all, { counts }) => all + counts[at]!, 0)
  })
  const gain = whole.length > 0 || extended.length > 0 || (before && seq - before.seq >= BEHIND)
  const counted = gain && { seq, lastId, slots: predicates.map(predicateName), whole, more: extended, anew: isFull }
  return { counts: countsOf(predicates, sum), before: kept, counted: counted || undefined }
}

const slotsIn = (summary: Summary | undefined): Predicate[] =>
  (summary?.slots ?? []).map((name) => JSON.parse(name) as Predicate)
