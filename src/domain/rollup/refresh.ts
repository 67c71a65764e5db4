import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import {
  bitColumns,
  distinctPredicates,
  type Predicate,
  predicateName,
  reportPredicates,
} from '../response/filter/predicate.ts'
import { getSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'
import { countAllFromRollup, listPredicates, MAX_PREDICATES } from './counts.ts'
import { writeMissingProgress } from './progress.ts'
import { type IdRange, REFRESH_AFTER_CHANGES, rangesBetween, SEGMENT_RESPONSES } from './state.ts'

const MAX_SURVEYS_PER_RUN = 100

/**
 * Refreshes outdated rollups of surveys with at least one full segment. Counts the responses in new and changed
 * segments, counts the responses that have new predicates, and writes missing bitmaps and progress. Idempotent.
 * @returns the number of outdated rollups that were found
 */
export async function refreshRollups(context: Pick<PublicContext, 'em'>, signal?: AbortSignal): Promise<number> {
  const db = context.em.getKysely<Tables>()
  const outdated = await db
    .selectFrom('survey_feed')
    .innerJoin('survey', 'survey.id', 'survey_feed.survey_id')
    .leftJoin('response_rollup', 'response_rollup.survey_id', 'survey_feed.survey_id')
    .where('survey_feed.responses', '>=', SEGMENT_RESPONSES)
    .where('survey.deleted_at', 'is', null)
    .where(
      sql<boolean>`(response_rollup.revision is distinct from survey.revision
        or survey_feed.seq - response_rollup.seq >= ${REFRESH_AFTER_CHANGES}::integer
        or exists (
          select from response_segment as segment
          where segment.survey_id = survey.id
            and (segment.indexed_predicates < cardinality(response_rollup.predicates) or not exists (
              select from response_progress as progress
              where progress.survey_id = segment.survey_id and progress.segment_number = segment.number
                and num_nulls(progress.slots, progress.collectors) = 0
            ))
        ))`,
    )
    .modifyFront(sql.raw(ACROSS_SURVEYS))
    .select('survey_feed.survey_id as id')
    .limit(MAX_SURVEYS_PER_RUN)
    .execute()
  for (const { id } of outdated) {
    if (signal?.aborted) break
    const snapshot = await getSnapshot(context.em, id)
    if (!snapshot) continue
    const { revision } = snapshot
    await countAllFromRollup(context, id, predicatesOfSurvey(snapshot))
    await writeMissingBitmaps(context, id, signal)
    await writeMissingProgress(context, id, signal)
    if (signal?.aborted) break
    await db.updateTable('response_rollup').set({ revision }).where('survey_id', '=', id).execute()
  }
  return outdated.length
}

/** Returns the predicates of reports and lists. If there are too many, returns only the predicates of reports. */
function predicatesOfSurvey({ questionnaire }: SurveySnapshot): Predicate[] {
  const forReports = reportPredicates(questionnaire)
  const predicates = distinctPredicates([...forReports, ...listPredicates(questionnaire)])
  return predicates.length > MAX_PREDICATES ? forReports : predicates
}

/**
 * Maximum number of predicates with bitmaps. With one bit per predicate, a response takes 64 bytes, about as much as an
 * index entry.
 */
const MAX_BITMAPS = 512

/**
 * Maximum number of segments indexed per transaction, so that a transaction locks the rollup for some tens of
 * milliseconds only.
 */
const SEGMENTS_PER_TRANSACTION = 4

/** Returns whether a predicate needs bitmaps, because filters and reports combine it with other predicates. */
const isCombinable = (predicate: Predicate): boolean =>
  predicate.kind !== 'typeMismatch' && !('complete' in predicate && predicate.complete)

/**
 * Writes the missing bitmaps of a survey: for each segment and predicate, one bit per response. Idempotent. The counts
 * and bitmaps of a segment are valid until the change feed contains a later change of one of its responses. When a
 * segment is counted again, its bitmaps are deleted (save.ts). The rollup is locked during the write, so that bitmaps
 * are never saved for counts that are newer than the bitmaps.
 */
async function writeMissingBitmaps({ em }: Pick<PublicContext, 'em'>, surveyId: number, signal?: AbortSignal) {
  let hasMore = true
  while (hasMore && !signal?.aborted)
    hasMore = await em.fork().transactional((inner) => indexNextSegments(inner.getKysely<Tables>(), surveyId))
}

/**
 * Writes the bitmaps of some segments.
 * @returns whether there may be further segments without bitmaps
 */
async function indexNextSegments(db: Kysely<Tables>, surveyId: number): Promise<boolean> {
  const rollup = await db
    .selectFrom('response_rollup')
    .select('predicates')
    .where('survey_id', '=', surveyId)
    .forUpdate()
    .executeTakeFirst()
  if (!rollup) return false
  const { predicates: names } = rollup
  const segments = await db
    .selectFrom('response_segment')
    .select(['number', 'last_id', 'indexed_predicates'])
    .where('survey_id', '=', surveyId)
    .orderBy('number')
    .execute()
  const ranges = rangesBetween(segments.map(({ last_id }) => last_id))
  const missing = segments.flatMap(({ number, indexed_predicates }, index) =>
    indexed_predicates < names.length ? [{ ...ranges[index]!, number }] : [],
  )
  const batch = missing.slice(0, SEGMENTS_PER_TRANSACTION)
  if (batch.length === 0) return false
  const numbers = batch.map(({ number }) => number)
  await db
    .deleteFrom('response_bitmap')
    .where('survey_id', '=', surveyId)
    .where('segment_number', 'in', numbers)
    .execute()
  const predicates = names.map((name) => JSON.parse(name) as Predicate)
  if (predicates.filter(isCombinable).length <= MAX_BITMAPS)
    for (const segment of batch) await indexSegment(db, surveyId, segment, predicates)
  await db
    .updateTable('response_segment')
    .set({ indexed_predicates: names.length })
    .where('survey_id', '=', surveyId)
    .where('number', 'in', numbers)
    .execute()
  return missing.length > batch.length
}

/** Writes all bitmaps of a segment with one statement, so that they have the same number of bits. */
async function indexSegment(
  db: Kysely<Tables>,
  surveyId: number,
  { number, after, upto }: IdRange & { number: number },
  predicates: readonly Predicate[],
): Promise<void> {
  const combinable = predicates.filter(isCombinable)
  const numbers = new Map(predicates.map((predicate, index) => [predicateName(predicate), index + 1]))
  const { from, bits } = bitColumns(combinable)
  await sql`insert into response_bitmap (survey_id, segment_number, predicate_number, bits)
    select ${surveyId}::bigint, ${number}::integer, predicate_number, coalesce(bits, '')::bit varying
    from (
      select array[${bits}] as all_bits from response, ${from}
      where response.survey_id = ${surveyId}::bigint and response.id > ${after}::bigint and response.id <= ${upto}::bigint
    ) as segment,
    unnest(all_bits, ${combinable.map((predicate) => numbers.get(predicateName(predicate))!)}::integer[])
      as bitmap(bits, predicate_number)`.execute(db)
}
