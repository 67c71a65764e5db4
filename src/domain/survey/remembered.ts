import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { SurveySnapshot } from './snapshot.ts'

/** Maximum number of results, and of their numbers: a result has a few or thousands. */
const MAX_RESULTS = 300
const MAX_NUMBERS = 200_000
const USUAL_NUMBERS = 100
const caches = new WeakMap<object, LRUCache<string, object>>()

/**
 * Returns what was computed before for the same survey, responses and key. Every change of a response increases the
 * number of the last change in the feed, and every change of the survey its revision.
 * @param key what the result depends on apart from the survey and its responses
 * @param numbers how many numbers the result has, if many
 */
export async function remember<Result extends object>(
  { em, services }: Context,
  { id, revision }: Pick<SurveySnapshot, 'id' | 'revision'>,
  key: readonly unknown[],
  compute: () => Promise<Result>,
  numbers = USUAL_NUMBERS,
): Promise<Result> {
  const feed = em.getKysely<Tables>().selectFrom('survey_feed').select('seq').where('survey_id', '=', id)
  const name = JSON.stringify([id, revision, (await feed.executeTakeFirst())?.seq, ...key])
  const cache =
    caches.get(services.database) ?? new LRUCache<string, object>({ max: MAX_RESULTS, maxSize: MAX_NUMBERS })
  caches.set(services.database, cache)
  // Results that were computed while a response arrived are those of an earlier number, which is not asked for again.
  const result = (cache.get(name) as Result | undefined) ?? (await compute())
  cache.set(name, result, { size: Math.max(numbers, 1) })
  return result
}
