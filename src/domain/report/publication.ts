import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import type { Context } from '../context.ts'
import { Problem } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import {
  type Counts,
  countedRemoved,
  type Predicate,
  positionsIn,
  predicateName,
  reportedQuestions,
  reportPredicates,
  STATES,
  valuePredicate,
} from '../response/filter/predicate.ts'
import { whereResponses } from '../response/filter/where.ts'
import { countByRollup } from '../rollup/segments.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import { publishedCount } from '../survey/settings.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import {
  type CodedTallies,
  isCodingStep,
  publishedCodings,
  type StoredCodings,
  storedCodings,
  tallyCategories,
} from './category-counts.ts'
import { Report } from './report.ts'

/**
 * The counts of a report that readers see who may not view responses. docs/anonymity-threshold.md has the rule and its
 * proof.
 */
export interface Publication {
  counts: Counts
  /** IDs of the responses whose texts are shown, by stored key. */
  texts: Readonly<Record<string, readonly number[]>>
  /** The numbers of coded text answers. */
  codings: CodedTallies
}

/** The texts of a question that are shown at most. */
const MAX_TEXTS = 100

/** A report is compared with at most this many earlier filters; later ones are withheld. */
const MAX_COMPARED = 50

interface State {
  threshold: number
  matched: number
  withheld: boolean
  compared: string
  counts: Record<string, number>
  texts: Record<string, number[]>
  /** The last response of the survey when its responses were counted; absent in states of earlier versions. */
  last?: number
  /** Exact numbers of coded answers, which are rounded when they are read. */
  codings?: StoredCodings
}

interface Stored extends State {
  version: number
}

type FiltersOf = (query: string) => Promise<Filter[]>

/**
 * Returns the publication of the responses that a query selects. It is published anew if at least as many responses
 * have joined or left as the threshold.
 * @param filtersOf returns the filters of a stored query
 * @throws {Problem} `invalid_request` for filters that do not match the current survey
 */
export async function findPublication(
  context: Context,
  snapshot: SurveySnapshot,
  query: string,
  filtersOf: FiltersOf,
): Promise<Publication> {
  const { id: surveyId, settings } = snapshot
  const threshold = settings.anonymity_threshold
  const filters = await filtersOf(query)
  const matched = total(await countByRollup(context, surveyId, filters, STATES))
  const population = createHash('sha256').update(query).digest('hex')
  const stored = await readStored(context.em.getKysely<Tables>(), surveyId, population)
  const others = await earlierQueries(context, surveyId, query)
  const compared = createHash('sha256').update(JSON.stringify(others)).digest('hex')
  if (!stored && matched < threshold) return NOTHING
  // A report of too few responses shows nothing yet, so that its first figures need no step.
  const isFirst = stored && stored.matched < threshold && matched >= threshold
  const isCurrent = stored?.threshold === threshold && !isFirst && Math.abs(matched - stored.matched) < threshold
  if (stored && isCurrent && stored.compared === compared && !stored.withheld) {
    const codings = await codingsUpTo(context, snapshot, filters, stored.last)
    if (!isCodingStep(stored.codings ?? {}, codings, threshold)) return publicationOf(stored)
    return publicationOf(await store(context, surveyId, population, stored, { ...stateOf(stored), codings }))
  }
  const withheld =
    matched < threshold || (await isNearAnother(context, surveyId, { filters, matched, threshold, others, filtersOf }))
  if (isCurrent && withheld && stored.withheld) return NOTHING
  const next = isCurrent
    ? { ...stateOf(stored), compared, withheld }
    : await publish(context, snapshot, { query, filters, threshold, compared, withheld })
  return publicationOf(await store(context, surveyId, population, stored, next))
}

const total = (counts: Counts): number => STATES.reduce((sum, state) => sum + counts(state), 0)

const stateOf = ({ version: _, ...state }: Stored): State => state

const NOTHING: Publication = { counts: () => 0, texts: {}, codings: new Map() }

function publicationOf({ counts, texts, withheld, threshold, matched, codings = {} }: State): Publication {
  if (withheld) return NOTHING
  const isHidden = (numbers: readonly number[]) => isComputable(numbers, matched, threshold)
  return {
    counts: (predicate) => counts[predicateName(predicate)] ?? 0,
    ...{ texts, codings: publishedCodings(codings, threshold, isHidden) },
  }
}

/** Counts the coded answers of the responses that a publication counts. */
async function codingsUpTo(
  context: Context,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
  last: number | undefined,
): Promise<StoredCodings> {
  return last === undefined ? {} : storedCodings(await tallyCategories(context, snapshot, filters, { last }))
}

async function readStored(db: Kysely<Tables>, surveyId: number, population: string): Promise<Stored | undefined> {
  const row = await db
    .selectFrom('report_publication')
    .select(['version', 'state'])
    .where('survey_id', '=', surveyId)
    .where('population', '=', population)
    .executeTakeFirst()
  return row && { ...(row.state as State), version: row.version }
}

/** Returns the other filters of reports that are older than the first report with this filter, without duplicates. */
async function earlierQueries({ em }: Context, surveyId: number, query: string): Promise<string[]> {
  if (query === '') return []
  const reports = await em.find(Report, { survey: surveyId }, { orderBy: { id: 'asc' }, fields: ['query'] })
  const queries = ['', ...reports.map((report) => report.query)]
  return [...new Set(queries.slice(0, queries.indexOf(query)))]
}

/**
 * Returns whether the responses of a report differ from those of an earlier report by fewer responses than the
 * threshold: the difference of both reports would then describe these responses.
 */
async function isNearAnother(
  context: Context,
  surveyId: number,
  { filters, matched, threshold, others, filtersOf }: Comparison,
): Promise<boolean> {
  if (others.length > MAX_COMPARED) return true
  const isSmall = (count: number) => count > 0 && count < threshold
  for (const query of others) {
    const other = await filtersOf(query).catch((error: unknown) => {
      if (error instanceof Problem && error.kind === 'invalid') return undefined
      throw error
    })
    if (!other) continue
    const size = total(await countByRollup(context, surveyId, other, STATES))
    const common = total(await countByRollup(context, surveyId, [...other, ...filters], STATES))
    if (isSmall(size - common) || isSmall(matched - common)) return true
  }
  return false
}

interface Comparison {
  filters: readonly Filter[]
  matched: number
  threshold: number
  others: readonly string[]
  filtersOf: FiltersOf
}

/** Counts the responses of a report, and rounds all counts. */
async function publish(
  context: Context,
  snapshot: SurveySnapshot,
  { query, filters, threshold, compared, withheld }: Draft,
): Promise<State> {
  const { id: surveyId, questionnaire: q } = snapshot
  const responses = context.em.getKysely<Tables>().selectFrom('response').where('survey_id', '=', surveyId)
  const newest = await responses.select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const last = newest?.id ?? 0
  const predicates = reportPredicates(q)
  const counts = await countByRollup(context, surveyId, filters, predicates)
  const rounded = roundCounts(q, counts, threshold)
  const shared = await context.em.count(Report, { survey: surveyId, query, shareTextAnswers: true })
  return {
    threshold,
    matched: total(counts),
    withheld,
    compared,
    counts: Object.fromEntries(
      predicates
        .map((predicate) => [predicateName(predicate), rounded(predicate)] as const)
        .filter(([, count]) => count),
    ),
    texts: shared > 0 && !withheld ? await textsOf(context, surveyId, { q, filters, counts, threshold }) : {},
    last,
    codings: await codingsUpTo(context, snapshot, filters, last),
  }
}

interface Draft extends Pick<State, 'threshold' | 'compared' | 'withheld'> {
  query: string
  filters: readonly Filter[]
}

/**
 * Rounds counts down to multiples of the threshold. No answer of a question is counted if their numbers could be computed
 * from what rounding leaves over, or if too many answers would be missing for percentages and means.
 */
export function roundCounts(q: Questionnaire, counts: Counts, threshold: number): Counts {
  const fields = reportedQuestions(q).flatMap((question) => question.fields)
  const hidden = fields.flatMap(exclusiveClasses).flatMap((classes) => {
    const numbers = classes.map(counts)
    const isHidden = isIncomplete(numbers, threshold) || isComputable(numbers, total(counts), threshold)
    return isHidden ? classes.map(predicateName) : []
  })
  const names = new Set(hidden)
  return (predicate) => (names.has(predicateName(predicate)) ? 0 : publishedCount(counts(predicate), threshold))
}

/** Returns lists of predicates of a field. A response has at most one predicate of each list. */
function exclusiveClasses(field: Field): Predicate[][] {
  const { storedKey: key, type, choices } = field
  if (type === 'ranking')
    return choices.map(({ uid }) =>
      Array.from({ length: positionsIn(field) }, (_, place): Predicate => ({ kind: 'placed', key, index: uid, place })),
    )
  if (type !== 'single' && type !== 'number' && type !== 'boolean') return []
  const removed = type === 'boolean' ? [] : countedRemoved(field)
  return [[...choices, ...removed].map(({ uid }) => valuePredicate(field, uid))]
}

/** The least share of the answers to a question that rounding must leave. */
const MIN_SHARE = 0.8

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** Returns whether so many answers would be missing that figures which are computed from the rest would mislead. */
export const isIncomplete = (counts: readonly number[], threshold: number): boolean =>
  sumOf(counts.map((count) => publishedCount(count, threshold))) < MIN_SHARE * sumOf(counts)

/**
 * Returns whether readers who know how many responses there are, and that each has an answer, could compute too much about
 * an answer that is shown as 0: that it was given, and that some number from 1 to the threshold − 1 is impossible.
 */
export function isComputable(counts: readonly number[], size: number, threshold: number): boolean {
  const sum = sumOf(counts)
  if (sum < size || counts.every((count) => count >= threshold || count === 0)) return false
  const shown = sumOf(counts.map((count) => publishedCount(count, threshold)))
  return sum - shown > (counts.length - 1) * (threshold - 1) + 1
}

/** Selects the texts that are shown: a multiple of the threshold for each key, and none of the last answers beyond it. */
async function textsOf(
  { em }: Context,
  surveyId: number,
  { q, filters, counts, threshold }: TextSource,
): Promise<Record<string, number[]>> {
  const keys = textFields(q)
    .map(({ storedKey }) => ({ key: storedKey, answered: counts({ kind: 'answered', keys: [storedKey] }) }))
    .filter(({ answered }) => answered >= threshold)
  const db = em.getKysely<Tables>()
  const texts: Record<string, number[]> = {}
  for (const { key, answered } of keys) {
    const limit = publishedCount(Math.min(answered, Math.max(MAX_TEXTS, threshold)), threshold)
    const rows = await db
      .selectFrom('response')
      .where(whereResponses(surveyId, filters))
      .where(sql<boolean>`response.answers -> ${key}::text is not null`)
      .select('response.id')
      .orderBy('response.id', 'desc')
      .offset(answered % threshold)
      .limit(limit)
      .execute()
    if (rows.length === limit) texts[key] = rows.map(({ id }) => id)
  }
  return texts
}

interface TextSource {
  q: Questionnaire
  filters: readonly Filter[]
  counts: Counts
  threshold: number
}

/** Returns the fields whose answers are shown as texts. Files are not. */
export const textFields = (q: Questionnaire): Field[] =>
  reportedQuestions(q)
    .flatMap(({ fields }) => fields)
    .filter(({ type, choices, part }) => choices.length === 0 && type !== 'decimal' && type !== 'file' && !part)

/**
 * Stores a publication if nobody has stored another one since `before` was read.
 * @returns the stored one
 */
async function store(
  context: Context,
  surveyId: number,
  population: string,
  before: Stored | undefined,
  next: State,
): Promise<State> {
  const db = (context.writer ?? context.em).getKysely<Tables>()
  const version = before?.version ?? 0
  const { rows } = await sql`insert into report_publication as stored (survey_id, population, version, state)
    select id, ${population}::text, ${version + 1}::integer, ${JSON.stringify(next)}::jsonb
    from survey where id = ${surveyId}::bigint for key share
    on conflict (survey_id, population) do update set version = excluded.version, state = excluded.state
    where stored.version = ${version}::integer
    returning version`.execute(db)
  if (rows.length > 0) return next
  return (await readStored(db, surveyId, population)) ?? { ...next, withheld: true }
}

/** A text answer that readers see who may not view responses: without its response and its time. */
export interface PublishedText {
  value: string
}

/** Returns the published texts of the responses with these IDs, in an order that is not that of the responses. */
export async function readTexts(
  { em, services }: Context,
  surveyId: number,
  ids: Readonly<Record<string, readonly number[]>>,
): Promise<ReadonlyMap<string, PublishedText[]>> {
  const pairs = Object.entries(ids).flatMap(([key, list]) => list.map((id) => ({ key, id })))
  if (pairs.length === 0) return new Map()
  const { rows } = await sql<{ key: string; id: number; value: string }>`
    select text.key, response.id, response.answers ->> text.key as value
    from unnest(${pairs.map(({ key }) => key)}::text[], ${pairs.map(({ id }) => id)}::bigint[]) as text(key, id)
    join response on response.survey_id = ${surveyId}::bigint and response.id = text.id
    where response.answers -> text.key is not null`.execute(em.getKysely<Tables>())
  const sorted = rows
    .map((row) => ({ ...row, order: digest(services.secretKey, `published text ${row.id}`).toString('hex') }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  return Map.groupBy(sorted, ({ key }) => key)
}
