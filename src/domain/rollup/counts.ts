import { IsolationLevel } from '@mikro-orm/core'
import type { Kysely } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Condition, Filter } from '../response/filter/condition.ts'
import {
  type Counts,
  choiceNumbers,
  createCounts,
  distinctPredicates,
  type Predicate,
  predicateName,
  predicatesOf,
  STATES,
} from '../response/filter/predicate.ts'
import type { MetaTimeColumn } from '../structure/meta-fields.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import type { Tables } from '../tables.ts'
import {
  changedSegments,
  countRanges,
  lastFeedSeq,
  nextSegmentEnds,
  REFRESH_AFTER_CHANGES,
  type RollupState,
  type RollupUpdate,
  rangesBetween,
  readRollupState,
  saveRollup,
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
 * @param options `inTransaction`: counts in the caller's transaction and stores no counts, because this would need a
 *   separate transaction, which could wait for the locks of the caller. If the caller's transaction does not use a single
 *   snapshot, concurrent submissions make the counts inexact
 */
export async function countAllFromRollup(
  context: Pick<PublicContext, 'em'>,
  surveyId: number,
  requested: readonly Predicate[],
  { inTransaction = false } = {},
): Promise<Counts> {
  const predicates = distinctPredicates(requested)
  if (inTransaction) return (await count(context.em.getKysely<Tables>(), surveyId, predicates)).counts
  const isolationLevel = IsolationLevel.REPEATABLE_READ
  const { counts, before, update } = await context.em
    .fork()
    .transactional((em) => count(em.getKysely<Tables>(), surveyId, predicates), { isolationLevel, readOnly: true })
  if (update) await saveRollup(context, surveyId, before, update)
  return counts
}

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

/** Predicates whose counts add up to the number of responses that meet a condition. */
export interface Term {
  predicates: readonly Predicate[]
  /** The term is valid only in segments in which no response has this predicate. */
  validUnless?: Predicate
}

/** A condition for which the number of responses, or at least their bits, follow from those of predicates. */
export type CountedCondition = CountedTerms | CountedAlternatives

/** Conditions of which one must be met. Responses can meet several, so that their numbers do not add up. */
export interface CountedAlternatives {
  anyOf: readonly CountedTerms[]
}

/** A condition for which the number of responses follows from the counts of predicates. */
export interface CountedTerms {
  /** The first term that is valid gives the number of responses that meet the condition. */
  terms: readonly Term[]
  /**
   * If present, the number of responses is the sum of the counts of these predicates minus the number that the term
   * gives.
   */
  complementOf?: readonly Predicate[]
}

/** A condition on a time: from `since` (inclusive) to `before` (exclusive), in milliseconds since 1970. */
export interface TimeBounds {
  column: MetaTimeColumn
  since: number
  before: number
}

/** How to evaluate filters with a rollup, segment by segment. */
export interface CountPlan {
  /**
   * Conditions that every response must meet to pass. If one of them has the count 0 in a segment, no response of the
   * segment passes.
   */
  counted: readonly CountedCondition[]
  /** Responses of segments outside these bounds do not pass. */
  bounds: readonly TimeBounds[]
  /**
   * In a segment that lies within all bounds, the responses that pass are those that meet this condition. Absent if
   * their number does not follow from counts.
   */
  exactTerm?: CountedTerms
  /** Whether every filter is in `counted` or `bounds`. If so, bitmaps show which responses pass. */
  fullyIndexed: boolean
}

const COMPLETE = STATES[1]!
const ALL_RESPONSES: CountedTerms = { terms: [{ predicates: STATES }] }

const typeMismatch = (key: string, expected: Extract<Predicate, { kind: 'typeMismatch' }>['expected']): Predicate => ({
  kind: 'typeMismatch',
  key,
  expected,
})
const chosen = (key: string, index: number): Predicate => ({ kind: 'chosen', key, index })

/** Returns the predicate restricted to complete responses; undefined if the rollup does not count it. */
const completeVariant = (predicate: Predicate): Predicate | undefined =>
  predicate.kind === 'value' || predicate.kind === 'chosen' ? { ...predicate, complete: true } : undefined

/** Returns the predicates that {@link planCount} uses for filters on a survey. */
export const listPredicates = (q: Questionnaire): Predicate[] => [
  ...STATES,
  ...q.questions.flatMap(({ fields }) => fields.flatMap(predicatesOfField)),
]

function predicatesOfField(field: Field): Predicate[] {
  const { storedKey: key, type, choices } = field
  if (choices.length === 0) return []
  const withComplete = (predicates: Predicate[]) => [
    ...predicates,
    ...predicates.map((predicate) => completeVariant(predicate)!),
  ]
  switch (type) {
    case 'single':
    case 'number':
      return [typeMismatch(key, 'number'), ...withComplete(predicatesOf(field))]
    case 'boolean':
      return [typeMismatch(key, 'boolean'), ...withComplete(predicatesOf(field))]
    case 'multi':
    case 'ranking':
      return [typeMismatch(key, 'list'), ...withComplete(choiceNumbers(field).map((uid) => chosen(key, uid)))]
    default:
      return []
  }
}

/**
 * Plans how to count responses with a rollup.
 * @returns undefined if a rollup cannot evaluate any of the filters
 */
export function planCount(filters: readonly Filter[]): CountPlan | undefined {
  const tests = filters.map(({ test }) => test)
  const bounds = tests.flatMap((test) => (test.kind === 'time' ? [boundsOf(test)] : []))
  const others = tests.filter(({ kind }) => kind !== 'time')
  const counted = others.flatMap((test) => countedCondition(test) ?? [])
  if (filters.length > 0 && counted.length + bounds.length === 0) return undefined
  const fullyIndexed = counted.length === others.length
  const exactTerm = fullyIndexed ? conjunction(counted) : undefined
  return { counted, bounds, fullyIndexed, ...(exactTerm && { exactTerm }) }
}

/**
 * Combines conditions into one. The rollup has counts for one condition, and for a condition on an answer together with
 * "complete".
 * @returns undefined for any other combination
 */
function conjunction(counted: readonly CountedCondition[]): CountedTerms | undefined {
  const [first, second, ...others] = counted.filter((condition) => 'terms' in condition)
  if (counted.some((condition) => 'anyOf' in condition)) return undefined
  if (!first) return ALL_RESPONSES
  if (!second) return first
  if (others.length > 0) return undefined
  if (isComplete(first)) return amongComplete(second)
  return isComplete(second) ? amongComplete(first) : undefined
}

const isComplete = ({ terms, complementOf }: CountedTerms): boolean =>
  !complementOf && terms.every(({ predicates }) => predicates.length === 1 && predicates[0] === COMPLETE)

/** Restricts a condition on an answer to complete responses. */
function amongComplete({ terms, complementOf }: CountedTerms): CountedTerms | undefined {
  const restricted = terms.map((term) => ({
    ...term,
    predicates: term.predicates.flatMap((predicate) => completeVariant(predicate) ?? []),
  }))
  if (restricted.some(({ predicates }, index) => predicates.length < terms[index]!.predicates.length)) return undefined
  return { terms: restricted, ...(complementOf && { complementOf: [COMPLETE] }) }
}

function countedCondition(test: Condition): CountedCondition | undefined {
  if (test.kind !== 'any') return countedTerms(test)
  const anyOf = test.filters.flatMap((filter) => countedTerms(filter.test) ?? [])
  return anyOf.length < test.filters.length ? undefined : { anyOf }
}

function countedTerms(test: Condition): CountedTerms | undefined {
  if (test.kind === 'number' && test.column === 'completed') return stateCondition(test)
  if (test.kind !== 'answer' || test.keys.length !== 1) return undefined
  const terms = answerTerms(test.keys[0]!, test.values)
  return terms && { terms, ...(test.negated && { complementOf: STATES }) }
}

function stateCondition({ operator, value }: Extract<Condition, { kind: 'number' }>): CountedTerms {
  const predicates = STATES.filter((predicate) => {
    if (predicate.kind !== 'state' || value === null) return false
    if (predicate.state === value) return operator.includes('=')
    return predicate.state < value ? operator.startsWith('<') : operator.startsWith('>')
  })
  return { terms: [{ predicates }] }
}

/**
 * Returns the terms of a filter on a choice. The filter matches answers with the number of the choice, and text answers
 * that equal the label of the choice. If all answers of a segment have the current type of the question, none of them
 * is a text. The count of answers with the number is then exact.
 */
function answerTerms(key: string, values: readonly (string | number | boolean)[]): Term[] | undefined {
  const [value, ...others] = values.filter((item) => typeof item !== 'string')
  if (value === undefined || others.length > 0) return undefined
  const predicate: Predicate = { kind: 'value', key, value: String(value) }
  if (typeof value === 'boolean') return [{ predicates: [predicate], validUnless: typeMismatch(key, 'boolean') }]
  if (!Number.isSafeInteger(value) || value < 0) return undefined
  return [
    { predicates: [predicate], validUnless: typeMismatch(key, 'number') },
    { predicates: [chosen(key, value)], validUnless: typeMismatch(key, 'list') },
  ]
}

function boundsOf({ column, operator, from, before }: Extract<Condition, { kind: 'time' }>): TimeBounds {
  const [since, until] = {
    '=': [from, before],
    '<': [-Infinity, from],
    '<=': [-Infinity, before],
    '>': [before, Infinity],
    '>=': [from, Infinity],
  }[operator] as [number, number]
  return { column, since, before: until }
}
