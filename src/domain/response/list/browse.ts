import type { Context } from '../../context.ts'
import { listPlanner } from '../../rollup/list.ts'
import { changeKind } from '../../survey/feed.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import { type StoredResponse, whereResponses, withCurrentPositions } from '../filter/where.ts'
import { countFiltered } from './page.ts'

/** The part of a list to read: the responses with smaller or larger ids than an id, or the first responses. */
export interface ListWindow {
  filters: readonly Filter[]
  newestFirst: boolean
  /** Only responses with a smaller id. */
  below?: number | undefined
  /** Only responses with a larger id. */
  above?: number | undefined
  limit: number
}

export interface ResponseWindow {
  /** In the requested order. */
  rows: StoredResponse[]
  /** Whether there are responses with larger and with smaller ids than those in `rows`. */
  newer: boolean
  older: boolean
}

/**
 * Lists a window of the responses that pass the filters. A window begins at an id and not at an offset, so reading
 * takes the same time anywhere in the list, and new responses do not shift the window. If the list was counted before,
 * only the parts are read in which responses pass.
 */
export async function browseResponses(
  { em }: Pick<Context, 'em'>,
  snapshot: SurveySnapshot,
  { filters, newestFirst, below, above, limit }: ListWindow,
): Promise<ResponseWindow> {
  // Rows with larger ids than `above` are read in ascending order, whatever the requested order.
  const ascending = above !== undefined || (below === undefined && !newestFirst)
  const db = em.getKysely<Tables>()
  const window = { ascending, from: above ?? below ?? (ascending ? 0 : Number.MAX_SAFE_INTEGER), limit: limit + 1 }
  const fetched =
    (filters.length > 0 && (await listPlanner.window(db, snapshot, filters, window))) ||
    (await db
      .selectFrom('response')
      .selectAll()
      .where(whereResponses(snapshot.id, filters))
      .where('response.id', ascending ? '>' : '<', window.from)
      .orderBy('response.id', ascending ? 'asc' : 'desc')
      .limit(window.limit)
      .execute())
  const hasMore = fetched.length > limit
  const rows = withCurrentPositions(snapshot, fetched.slice(0, limit))
  if (ascending === newestFirst) rows.reverse()
  return ascending
    ? { rows, newer: hasMore, older: above !== undefined }
    : { rows, newer: below !== undefined, older: hasMore }
}

/** Returns the ids of the next newer and the next older response in a list. */
export async function adjacentResponses(
  context: Pick<Context, 'em'>,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
  id: number,
): Promise<{ newer: number | undefined; older: number | undefined }> {
  const [newer, older] = await Promise.all([
    browseResponses(context, snapshot, { filters, newestFirst: false, above: id, limit: 1 }),
    browseResponses(context, snapshot, { filters, newestFirst: true, below: id, limit: 1 }),
  ])
  return { newer: newer.rows[0]?.id, older: older.rows[0]?.id }
}

/**
 * Returns the last number of a survey's change feed (`seq`) and the number of responses to the survey. Call it before
 * you read rows, so that {@link countNew} with `seq` counts every response that is submitted after the rows are read.
 */
export async function feedState(
  { em }: Pick<Context, 'em'>,
  { id }: SurveySnapshot,
): Promise<{ seq: number; responses: number }> {
  const feed = await em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .select(['seq', 'responses'])
    .where('survey_id', '=', id)
    .executeTakeFirst()
  return feed ?? { seq: 0, responses: 0 }
}

/** Counts the responses that pass the filters. */
export async function countMatching(
  context: Pick<Context, 'em' | 'services'>,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
): Promise<number> {
  if (filters.length > 0) return countFiltered(context.em.getKysely<Tables>(), snapshot, filters)
  return (await feedState(context, snapshot)).responses
}

/**
 * Maximum number of changes in which {@link countNew} searches for new responses. If there are more changes, its result
 * can be too low.
 */
const MAX_SCANNED_CHANGES = 1_000

/**
 * Counts the responses that pass the filters, were submitted after the change with the number `since`, and have not
 * been deleted.
 */
export async function countNew(
  { em }: Pick<Context, 'em'>,
  { id }: SurveySnapshot,
  filters: readonly Filter[],
  since: number,
): Promise<number> {
  const db = em.getKysely<Tables>()
  const changes = await db
    .selectFrom('response_change')
    .select(['response_id', 'kind'])
    .where('survey_id', '=', id)
    .where('seq', '>', since)
    .orderBy('seq')
    .limit(MAX_SCANNED_CHANGES)
    .execute()
  const created = changes.filter(({ kind }) => changeKind(kind) === 'created').map((change) => change.response_id)
  if (created.length === 0) return 0
  const { total } = await db
    .selectFrom('response')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(whereResponses(id, filters))
    .where((eb) => eb('response.id', '=', eb.fn.any(eb.val(created))))
    .executeTakeFirstOrThrow()
  return total
}
