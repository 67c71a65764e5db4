import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { type CollectorSnapshot, getSnapshot, type SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/**
 * Returns the current snapshot of the survey that a public URL identifies. The username in the URL can be in upper or
 * lower case.
 * @throws {Problem} `survey_not_found`
 */
export async function findDeployed({ em }: PublicContext, username: string, slug: string): Promise<SurveySnapshot> {
  if (`${username}${slug}`.includes('\0')) throw problems.surveyNotFound()
  const row = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .select('survey.id')
    .where((eb) => eb(eb.fn<string>('lower', ['account.username']), '=', username.toLowerCase()))
    .where('survey.slug', '=', slug)
    .executeTakeFirst()
  const snapshot = row && (await getSnapshot(em, row.id))
  if (!snapshot) throw problems.surveyNotFound()
  return snapshot
}

/**
 * Returns the collector with the id in a survey URL. For an unknown id, returns the default collector, so that a
 * mistyped URL still works.
 */
export const collectorOf = (snapshot: SurveySnapshot, id: number | undefined): CollectorSnapshot =>
  (id !== undefined && snapshot.collectors.get(id)) || snapshot.defaultCollector
