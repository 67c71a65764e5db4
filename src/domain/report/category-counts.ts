import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { codingRevision, readCategories, SURVEY_CODING } from '../response/coding/categories.ts'
import type { Filter } from '../response/filter/filter.ts'
import { steady, weightOf } from '../response/filter/weight.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tally } from '../rollup/weighted.ts'
import { remember } from '../survey/remembered.ts'
import { publishedCount } from '../survey/settings.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Weighting } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import {
  type CodedCount,
  type CodedTexts,
  percentage,
  plainTally,
  type QuestionStats,
  weightedBase,
} from './question-stats.ts'

/** Tallies of coded answers by stored key. */
export type CodedTallies = ReadonlyMap<string, { coded: Tally; byCategory: ReadonlyMap<number, Tally> }>

const NO_CATEGORY = 0
const NO_TALLY = plainTally(0)

/**
 * Counts the coded text answers of the responses that pass every filter.
 * @param options `last`: only of responses up to this ID
 */
export async function tallyCategories(
  context: Context,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
  { weighting, last }: { weighting?: Weighting | undefined; last?: number } = {},
): Promise<CodedTallies> {
  const db = context.em.getKysely<Tables>()
  const revision = await codingRevision(db, snapshot.id)
  if (revision === 0) return new Map()
  return remember(context, snapshot, ['categories', revision, filters, weighting !== undefined, last], () =>
    countCodings(db, snapshot.id, filters, { weighting, last }),
  )
}

async function countCodings(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  { weighting, last }: { weighting: Weighting | undefined; last: number | undefined },
): Promise<CodedTallies> {
  const matching = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .$if(last !== undefined, (query) => query.where('response.id', '<=', last!))
    .select(['response.id', (weighting ? weightOf(weighting) : sql<number>`1::float8`).as('w')])
  const { rows } = await sql<{ key: string; category: number | null; count: number; weight: number; squares: number }>`
    with coded as materialized (
      select coding.key, coding.category_id, response.id, response.w
      from response_coding coding join ${matching} as response on response.id = coding.response_id
      where coding.survey_id = ${surveyId}::bigint and coding.round_id = ${SURVEY_CODING.round_id}::bigint
        and coding.coder_id = ${SURVEY_CODING.coder_id}::bigint
    )
    select key, category_id as category, count(*) as count, sum(w) as weight, sum(w * w) as squares
    from coded group by key, category_id
    union all
    select key, null, count(*), sum(w), sum(w * w) from (select distinct key, id, w from coded) as answer group by key`.execute(
    db,
  )
  return new Map(
    Map.groupBy(rows, ({ key }) => key)
      .entries()
      .map(([key, own]) => {
        const tallies = new Map(
          own.map(({ category, count, weight, squares }) => [
            category,
            { count, weight: steady(weight), squares: steady(squares) },
          ]),
        )
        const coded = tallies.get(null) ?? NO_TALLY
        tallies.delete(null)
        return [key, { coded, byCategory: tallies as ReadonlyMap<number, Tally> }] as const
      }),
  )
}

/** Adds the categories of text answers to the statistics of questions. */
export async function withCategories(
  { em }: Context,
  surveyId: number,
  questions: readonly QuestionStats[],
  tallies: CodedTallies,
  isWeighted = false,
): Promise<QuestionStats[]> {
  if (tallies.size === 0) return [...questions]
  const categories = await readCategories(em.getKysely<Tables>(), surveyId)
  const codingOf = (key: string): { coding?: CodedTexts } => {
    const own = tallies.get(key)
    if (!own || own.coded.count === 0) return {}
    const countOf = (id: number): CodedCount => {
      const { count, weight } = own.byCategory.get(id) ?? NO_TALLY
      return { count, ...(isWeighted && { weighted: weight }), percentage: percentage(weight, own.coded.weight) }
    }
    return {
      coding: {
        ...{ coded: own.coded.count, ...weightedBase(own.coded, { isWeighted }), none: countOf(NO_CATEGORY) },
        categories: categories.map((category) => ({ category, ...countOf(category.id) })),
      },
    }
  }
  return questions.map((stats) => ({
    ...stats,
    fields: stats.fields.map((one) => ({ ...one, ...codingOf(one.field.storedKey) })),
  }))
}

/** The number of coded answers by stored key: in all, and by the ID of the category. */
export type StoredCodings = Readonly<Record<string, { coded: number; byCategory: Readonly<Record<string, number>> }>>

/** Returns counts that can be stored. */
export const storedCodings = (tallies: CodedTallies): StoredCodings =>
  Object.fromEntries(
    tallies.entries().map(([key, { coded, byCategory }]) => [
      key,
      {
        coded: coded.count,
        byCategory: Object.fromEntries(byCategory.entries().map(([id, { count }]) => [id, count])),
      },
    ]),
  )

/**
 * Returns whether the coding of at least as many responses as the threshold has changed. A response counts at most once
 * in each number, so a number that has changed by the threshold needs as many responses.
 */
export function isCodingStep(before: StoredCodings, now: StoredCodings, threshold: number): boolean {
  const isStep = (a = 0, b = 0) => Math.abs(a - b) >= threshold
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].some((key) => {
    const [old, own] = [before[key], now[key]]
    const ids = [...Object.keys(old?.byCategory ?? {}), ...Object.keys(own?.byCategory ?? {})]
    return isStep(old?.coded, own?.coded) || ids.some((id) => isStep(old?.byCategory[id], own?.byCategory[id]))
  })
}

/**
 * Rounds stored counts down to multiples of the threshold.
 * @param isHidden whether the numbers of a field would tell too much, see `isComputable`
 */
export const publishedCodings = (
  codings: StoredCodings,
  threshold: number,
  isHidden: (counts: readonly number[]) => boolean,
): CodedTallies =>
  new Map(
    Object.entries(codings).map(([key, { coded, byCategory }]) => {
      const hidden = isHidden(Object.values(byCategory))
      const shown = (count: number) => plainTally(hidden ? 0 : publishedCount(count, threshold))
      const tallies = Object.entries(byCategory).map(([id, count]) => [Number(id), shown(count)] as const)
      return [key, { coded: plainTally(publishedCount(coded, threshold)), byCategory: new Map(tallies) }]
    }),
  )
