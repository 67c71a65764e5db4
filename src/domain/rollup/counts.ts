import { IsolationLevel } from '@mikro-orm/core'
import type { Kysely } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { countRanges } from './id-ranges.ts'
import { type Counts, createCounts, distinctPredicates, type Predicate, predicateName } from './predicate.ts'
import { type RollupUpdate, saveRollup } from './save.ts'
import {
  changedSegments,
  lastFeedSeq,
  nextSegmentEnds,
  REFRESH_AFTER_CHANGES,
  type RollupState,
  rangesBetween,
  readRollupState,
  sumSegments,
} from './state.ts'

/** The end of the range of responses that are not part of a segment yet. */
const MAX_ID = Number.MAX_SAFE_INTEGER

/**
 * Maximum number of predicates of a rollup. If there are more, the rollup is rebuilt with only the requested
 * predicates.
 */
export const MAX_PREDICATES = 4_000

/**
 * Counts predicates over all responses of a survey in one snapshot. Uses the stored counts of unchanged segments.
 * Counts the responses of changed segments, and those after the last segment (the tail). Stores the new counts.
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

/**
 * Counts like {@link countAllFromRollup}, but in the caller's transaction. Stores no counts: this would need a separate
 * transaction, which could wait for the locks of the caller. If the caller's transaction does not use a single
 * snapshot, concurrent submissions make the counts inexact.
 */
export const countAllReadOnly = async (
  db: Kysely<Tables>,
  surveyId: number,
  requested: readonly Predicate[],
): Promise<Counts> => (await count(db, surveyId, distinctPredicates(requested))).counts

interface CountResult {
  counts: Counts
  before: RollupState | undefined
  /** Undefined if storing the counts is not worthwhile. */
  update: RollupUpdate | undefined
}

/**
 * Counts predicates, and determines what to store.
 * @param db a transaction; with a single snapshot the counts are exact
 */
async function count(db: Kysely<Tables>, surveyId: number, requested: readonly Predicate[]): Promise<CountResult> {
  const seq = await lastFeedSeq(db, surveyId)
  const stored = await readRollupState(db, surveyId)
  const isNew = requested.some((predicate) => !stored?.predicates.includes(predicateName(predicate)))
  const replacesAll = isNew && distinctPredicates([...predicatesIn(stored), ...requested]).length > MAX_PREDICATES
  const base = replacesAll ? undefined : stored
  const storedPredicates = predicatesIn(base)
  const added = requested.filter((predicate) => !base?.predicates.includes(predicateName(predicate)))
  const predicates = [...storedPredicates, ...added]

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
  const recounted = invalid.map(({ number, upto }, index) => ({ ...results[index]!, number, lastId: upto }))
  const extended = additions.map((range, index) => ({
    ...range,
    number: valid[index]!.number,
    lastId: valid[index]!.upto,
  }))

  const totals = base ? await sumSegments(db, surveyId, changed) : []
  const sums = predicates.map((_, index) => {
    const addedIndex = index - storedPredicates.length
    const extension = addedIndex < 0 ? 0 : extended.reduce((sum, { counts }) => sum + counts[addedIndex]!, 0)
    return (
      (totals[index] ?? 0) + extension + tail[index]! + results.reduce((sum, { counts }) => sum + counts[index]!, 0)
    )
  })
  const isWorthSaving = recounted.length > 0 || extended.length > 0 || (base && seq - base.seq >= REFRESH_AFTER_CHANGES)
  const names = predicates.map(predicateName)
  const update = isWorthSaving ? { seq, lastId, predicates: names, recounted, extended, replacesAll } : undefined
  return { counts: createCounts(predicates, sums), before: stored, update }
}

const predicatesIn = (state: RollupState | undefined): Predicate[] =>
  (state?.predicates ?? []).map((name) => JSON.parse(name) as Predicate)
