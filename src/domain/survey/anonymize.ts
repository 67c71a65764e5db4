import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import { anonymizeDeliveries } from './anonymize-deliveries.ts'
import { anonymizeResponses } from './anonymize-responses.ts'
import { useOwnIds } from './response-ids.ts'
import type { Survey } from './survey.ts'

/** Returns whether a survey has responses. */
export async function hasResponses({ em }: Context, surveyId: number): Promise<boolean> {
  const feed = await em
    .getKysely<Tables>()
    .selectFrom('survey_feed')
    .select('responses')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  return (feed?.responses ?? 0) > 0
}

/**
 * Makes all collectors of a survey anonymous: erases the identity of earlier respondents, and removes the setting
 * `anonymous` with which a collector overrides the survey. Call it inside the transaction that stores the setting
 * `anonymous` of the survey and so increments the revision of the survey.
 */
export async function anonymizeSurvey(context: Context, survey: Survey): Promise<void> {
  await useOwnIds(context, survey)
  const db = context.em.getKysely<Tables>()
  // The provider's descriptions of failures may name respondents.
  await db.deleteFrom('provider_failure').where('survey_id', '=', survey.id).execute()
  const collectors = await db
    .updateTable('collector')
    .set({ settings: sql`settings - 'anonymous'` })
    .where('survey_id', '=', survey.id)
    .returning('id')
    .execute()
  await anonymizeCollectors(
    context,
    survey,
    collectors.map(({ id }) => id),
  )
}

/** Erases the identity of the respondents of some collectors. Call it inside a transaction. */
export async function anonymizeCollectors(
  { em, now }: Context,
  survey: Survey,
  collectorIds: readonly number[],
): Promise<void> {
  const db = em.getKysely<Tables>()
  await anonymizeResponses(db, survey.id, collectorIds, now)
  const { username } = await db
    .selectFrom('account')
    .select('username')
    .where('id', '=', survey.owner.id)
    .executeTakeFirstOrThrow()
  const { id, slug } = survey
  await anonymizeDeliveries(db, { id, slug, username, ownerId: survey.owner.id })
}
