import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

/** Returns whether a survey, or one of its collectors, is anonymous. */
export async function isAnonymousSurvey({ em }: Pick<PublicContext, 'em'>, id: number): Promise<boolean> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .leftJoin('collector', 'collector.survey_id', 'survey.id')
    .select(['survey.settings as own', 'collector.settings as overridden'])
    .where('survey.id', '=', id)
    .execute()
  return rows.some(({ own, overridden }) => own.anonymous || overridden?.anonymous === true)
}
