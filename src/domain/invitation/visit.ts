import type { PublicContext } from '../context.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { usedInviteHash } from './used-invite.ts'

/** Somebody who came with an invite code of the survey. */
export interface Invited {
  id: number
  code: string
  collectorId: number
  email: string | null
  name: string | null
  /** The invitation was used anonymously: there is a response, but nobody knows which. */
  used: boolean
  /** What texts of the survey may repeat as `{{ invite.<field> }}`: the contact's fields by name. */
  fields: Readonly<Record<string, string>>
}

/** What a code looks like, so that anything else in an address is not even looked up. */
const CODE = /^[A-Za-z0-9]{1,64}$/

/** The invitation with this code in a survey. The name and the e-mail address are the contact's while there is one. */
export async function findInvited(
  context: PublicContext,
  surveyId: number,
  code: string | null | undefined,
): Promise<Invited | undefined> {
  if (!code || !CODE.test(code)) return undefined
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('invite')
    .leftJoin('contact', 'contact.id', 'invite.contact_id')
    .select(['invite.id', 'invite.code', 'invite.collector_id', 'invite.email', 'invite.name', 'invite.used_on'])
    .select(['contact.email as contact_email', 'contact.name as contact_name', 'contact.custom'])
    .where('invite.survey_id', '=', surveyId)
    .where('invite.code', '=', code)
    .executeTakeFirst()
  if (!row) return undefined
  const email = row.contact_email ?? row.email
  const name = row.contact_name ?? row.name
  const used =
    row.used_on !== null ||
    (await context.em
      .getKysely<Tables>()
      .selectFrom('used_invite')
      .select('hash')
      .where('hash', '=', usedInviteHash(context, row.id))
      .executeTakeFirst()) !== undefined
  return {
    id: row.id,
    code: row.code,
    collectorId: row.collector_id,
    email,
    name,
    used,
    fields: { ...row.custom, name: name ?? '', email: email ?? '', code: row.code },
  }
}

/** Remembers that an invitation was opened, the first time. */
export async function markViewed({ em, now }: PublicContext, invited: Invited): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('invite')
    .set({ viewed_at: now })
    .where('id', '=', invited.id)
    .where('viewed_at', 'is', null)
    .execute()
}

/** The key of the response that a code has brought: one that is not complete before one that is, the newest of each. */
export async function responseOf(
  { em }: PublicContext,
  { id: surveyId }: SurveySnapshot,
  { code, collectorId }: Invited,
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
