import type { Context } from '../../context.ts'
import { changeKind } from '../../survey/feed.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from '../filter/filter.ts'
import { readRows, type StoredResponse } from '../filter/matches.ts'
import { whereResponses } from '../filter/where.ts'
import { countFiltered } from './page.ts'

/** Which stretch of a list is looked at: what lies before or after a response, or its beginning. */
export interface Stretch {
  filters: readonly Filter[]
  newestFirst: boolean
  /** Ids smaller than this one. */
  below?: number | undefined
  /** Ids greater than this one. */
  above?: number | undefined
  limit: number
}

export interface Browsed {
  /** In the order asked for. */
  rows: StoredResponse[]
  /** Whether there are greater ids than those of the rows, and smaller ones. */
  newer: boolean
  older: boolean
}

/**
 * A stretch of the responses that pass the filters. It is found by id and not by number, so it costs the same anywhere
 * in a list, and nothing slips while responses come in.
 */
export async function browseResponses(
  { em }: Pick<Context, 'em'>,
  snapshot: SurveySnapshot,
  { filters, newestFirst, below, above, limit }: Stretch,
): Promise<Browsed> {
  // From a response on towards the newer ones the walk goes up, whatever the order shown.
  const upwards = above !== undefined || (below === undefined && !newestFirst)
  let query = em.getKysely<Tables>().selectFrom('response').selectAll().where(whereResponses(snapshot.id, filters))
  if (below !== undefined) query = query.where('response.id', '<', below)
  if (above !== undefined) query = query.where('response.id', '>', above)
  const found = await query
    .orderBy('response.id', upwards ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
  const more = found.length > limit
  const rows = readRows(snapshot, found.slice(0, limit))
  if (upwards === newestFirst) rows.reverse()
  return upwards ? { rows, newer: more, older: above !== undefined } : { rows, newer: below !== undefined, older: more }
}

/** What stands beside a response in a list: the ids before and after it. */
export async function neighboursOf(
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

/** How far a survey's feed has come, and how many responses there are. Ask before rows: nothing is missed in between. */
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

/** How many responses pass the filters; all of them are counted by the feed. */
export async function countMatching(
  context: Pick<Context, 'em'>,
  snapshot: SurveySnapshot,
  filters: readonly Filter[],
): Promise<number> {
  if (filters.length > 0) return countFiltered(context.em.getKysely<Tables>(), snapshot, filters)
  return (await feedState(context, snapshot)).responses
}

/** More changes than these are not looked through: whoever is so far behind loads the list again. */
const MOST_CHANGES = 1_000

/**
 * How many responses that pass the filters have come in since a number of the survey's feed. Those that were deleted
 * again do not count.
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
    .limit(MOST_CHANGES)
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
