import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { structureHash } from '../structure/canonical.ts'
import type { Structure } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { defaultSettings } from './settings.ts'
import type { Survey } from './survey.ts'

type Reader = Pick<PublicContext, 'em'>

const approvals = ({ em }: Reader, surveyId: number) =>
  em.getKysely<Tables>().selectFrom('survey_review').where('survey_id', '=', surveyId).where('state', '=', 'approved')

/** Returns the hash of a version if its structure was approved. */
export async function approvedHashOf(context: Reader, surveyId: number, version: number): Promise<string | null> {
  const found = approvals(context, surveyId).select('hash').where('version', '=', version)
  return (await found.limit(1).executeTakeFirst())?.hash ?? null
}

/**
 * Returns the id of the review in which a structure was approved; undefined if it was not approved, and need not be.
 * @throws {Problem} `approval_required` if the survey requires an approval, and the structure has none
 */
export async function findApproval(
  context: Reader,
  survey: Pick<Survey, 'id' | 'settings'>,
  structure: Structure,
): Promise<number | undefined> {
  const isRequired = { ...defaultSettings, ...survey.settings }.approval_required
  const any = isRequired || (await approvals(context, survey.id).select('id').limit(1).executeTakeFirst()) !== undefined
  if (!any) return undefined
  const found = approvals(context, survey.id).select('id').where('hash', '=', structureHash(structure))
  const approval = await found.orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!approval && isRequired) throw problems.approvalRequired()
  return approval?.id
}

/** Records which version has an approved structure. */
export const recordApproval = ({ em }: Reader, id: number, version: number) =>
  em.getKysely<Tables>().updateTable('survey_review').set({ version }).where('id', '=', id).execute()
