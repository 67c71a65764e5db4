import type { PublicContext } from '../context.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/** An invitation with which a respondent opened the survey. */
export interface Invitation {
  id: number
  code: string
  collectorId: number
  email: string | null
  name: string | null
  /**
   * Whether a job has marked the invitation as used for an anonymous response. The pages of an anonymous survey do not
   * depend on it: otherwise anyone who knows the code could watch for the moment at which the respondent answers.
   */
  used: boolean
  /** The values of `{{ invite.<field> }}` in texts of the survey: the fields of the contact by name. */
  fields: Readonly<Record<string, string>>
}

/** The format of a code; other values are not looked up. */
const CODE = /^[A-Za-z0-9]{1,64}$/
/** Characters that mail programs and people add to a code: spaces, format characters, brackets, a full stop. */
const STRAY_CHARACTERS = /^[^A-Za-z0-9]+|[^A-Za-z0-9]+$|\p{Cf}/gu
const MAX_WRITTEN_CODE_CHARACTERS = 200

/**
 * Returns the invitation with a code. While the contact exists, the invitation has the name and the email address of
 * the contact.
 */
export async function findInvitation(
  context: PublicContext,
  surveyId: number,
  code: string | null | undefined,
): Promise<Invitation | undefined> {
  const written = code?.slice(0, MAX_WRITTEN_CODE_CHARACTERS).replace(STRAY_CHARACTERS, '')
  if (!written || !CODE.test(written)) return undefined
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('invite')
    .leftJoin('contact', 'contact.id', 'invite.contact_id')
    .select(['invite.id', 'invite.code', 'invite.collector_id', 'invite.email', 'invite.name', 'invite.used_on'])
    .select(['contact.email as contact_email', 'contact.name as contact_name', 'contact.custom'])
    .where('invite.survey_id', '=', surveyId)
    .where('invite.code', '=', written)
    .executeTakeFirst()
  if (!row) return undefined
  const email = row.contact_email ?? row.email
  const name = row.contact_name ?? row.name
  return {
    id: row.id,
    code: row.code,
    collectorId: row.collector_id,
    email,
    name,
    used: row.used_on !== null,
    fields: { ...row.custom, name: name ?? '', email: email ?? '', code: row.code },
  }
}

/** Stores when an invitation was first opened. */
export async function markViewed({ em, now }: PublicContext, invitation: Invitation): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('invite')
    .set({ viewed_at: now })
    .where('id', '=', invitation.id)
    .where('viewed_at', 'is', null)
    .execute()
}

/**
 * Returns the key of the response that belongs to an invite code: the newest incomplete response, or else the newest
 * completed response.
 */
export async function findResponseKey(
  { em }: PublicContext,
  { id: surveyId }: SurveySnapshot,
  { code, collectorId }: Invitation,
): Promise<Buffer | undefined> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('response')
    .select('key')
    .where('survey_id', '=', surveyId)
    .where('collector_id', '=', collectorId)
    .where('invite_code', '=', code)
    .orderBy((eb) => eb('completed', '>', 0))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.key
}
