import { IsolationLevel } from '@mikro-orm/core'
import type { Kysely } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { countRanges } from './id-ranges.ts'
import { type Counts, createCounts, distinctPredicates, type Predicate, predicateName } from './predicate.ts'
import { type RollupUpdate, saveRollup } from './save.ts'
import {
  changedSegments,
  feedSeq,
  nextSegmentEnds,
  REFRESH_AFTER_CHANGES,
  type RollupState,
  rangesBetween,
  readRollupState,
  sumSegments,
} from './state.ts'

/** Upper end of the range of responses that are in no segment yet. */
const MAX_ID = Number.MAX_SAFE_INTEGER

/** Predicates that a rollup counts. One more, and the rollup starts again with the requested predicates. */
export const MAX_PREDICATES = 4_000

/**
 * Counts predicates over all responses of a survey, exactly as of one moment. Reads stored counts where a segment is
 * unchanged, and the responses of changed segments and of the tail. Stores what it counted.
 */
export async function countAllFromRollup(
  context: Pick<PublicContext, 'em'>,
  surveyId: number,
  requested: readonly Predicate[],
): Promise<Counts> {
  const predicates = distinctPredicates(requested)
  const isolationLevel = IsolationLevel.REPEATABLE_READ
  const { counts, before, update } = await context.em
    .fork()
    .transactional((em) => count(em.getKysely<Tables>(), surveyId, predicates), { isolationLevel, readOnly: true })
  if (update) await saveRollup(context, surveyId, before, update)
  return counts
}

/** Counts as {@link countAllFromRollup} inside the caller's transaction, which may hold locks. Stores nothing. */
export const countAllReadOnly = async (
  db: Kysely<Tables>,
  surveyId: number,
  requested: readonly Predicate[],
): Promise<Counts> => (await count(db, surveyId, distinctPredicates(requested))).counts

interface CountResult {
  counts: Counts
  before: RollupState | undefined
  /** Absent: nothing worth storing. */
  update: RollupUpdate | undefined
}

/** @param db a connection that sees one snapshot, which the feed's last number identifies */
async function count(db: Kysely<Tables>, surveyId: number, requested: readonly Predicate[]): Promise<CountResult> {
  const seq = await feedSeq(db, surveyId)
  const stored = await readRollupState(db, surveyId)
  const isNew = requested.some((predicate) => !stored?.predicates.includes(predicateName(predicate)))
  const replacesAll = isNew && distinctPredicates([...predicatesIn(stored), ...requested]).length > MAX_PREDICATES
  const base = replacesAll ? undefined : stored
  const known = predicatesIn(base)
  const added = requested.filter((predicate) => !base?.predicates.includes(predicateName(predicate)))
  const predicates = [...known, ...added]

  const ends = base?.ends ?? []
  const changed = base ? await changedSegments(db, surveyId, base) : new Set<number>()
  const newEnds = await nextSegmentEnds(db, surveyId, base?.lastId ?? 0)
  const segments = rangesBetween([...ends, ...newEnds]).map((range, number) => ({ ...range, number }))
  const invalid = segments.filter(({ number }) => changed.has(number) || number >= ends.length)
  const valid = segments.filter(({ number }) => !changed.has(number) && number < ends.length)
  const lastId = segments.at(-1)?.upto ?? 0

  const results = await countRanges(db, surveyId, [...invalid, { after: lastId, upto: MAX_ID }], predicates)
  const tail = results.pop()!.counts
  const additions = added.length > 0 && valid.length > 0 ? await countRanges(db, surveyId, valid, added) : []
  const recounted = invalid.map(({ number, upto }, at) => ({ ...results[at]!, number, lastId: upto }))
  const extended = additions.map((one, at) => ({ ...one, number: valid[at]!.number, lastId: valid[at]!.upto }))

  const totals = base ? await sumSegments(db, surveyId, changed) : []
  const sums = predicates.map((_, at) => {
    const addedAt = at - known.length
    const extension = addedAt < 0 ? 0 : extended.reduce((sum, { counts }) => sum + counts[addedAt]!, 0)
    return (totals[at] ?? 0) + extension + tail[at]! + results.reduce((sum, { counts }) => sum + counts[at]!, 0)
  })
  const isWorthSaving = recounted.length > 0 || extended.length > 0 || (base && seq - base.seq >= REFRESH_AFTER_CHANGES)
  const names = predicates.map(predicateName)
  const update = isWorthSaving ? { seq, lastId, predicates: names, recounted, extended, replacesAll } : undefined
  return { counts: createCounts(predicates, sums), before: stored, update }
}

const predicatesIn = (state: RollupState | undefined): Predicate[] =>
  (state?.predicates ?? []).map((name) => JSON.parse(name) as Predicate)
