import { sql } from 'kysely'
import { digest, seal, unseal } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { CODE_LENGTH } from './codes.ts'

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
  const exact = await invitesWith(context, surveyId, [written])
  const others = exact.length > 0 ? [] : await invitesWith(context, surveyId, spellingsOf(written))
  // Two codes that differ only in upper and lower case are told apart.
  const [row] = exact.length > 0 ? exact : others.length === 1 ? others : []
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

const invitesWith = ({ em }: PublicContext, surveyId: number, codes: readonly string[]) =>
  em
    .getKysely<Tables>()
    .selectFrom('invite')
    .leftJoin('contact', 'contact.id', 'invite.contact_id')
    .select(['invite.id', 'invite.code', 'invite.collector_id', 'invite.email', 'invite.name', 'invite.used_on'])
    .select(['contact.email as contact_email', 'contact.name as contact_name', 'contact.custom'])
    .where('invite.survey_id', '=', surveyId)
    .where('invite.code', '=', sql<string>`any(${codes}::text[])`)
    .execute()

/** Maximum number of letters of a code that is recognised in other letter case: those of a code of this service. */
const MAX_LETTERS = CODE_LENGTH

/** Returns all spellings of a code in upper and lower case, other than its own. The index of codes finds each of them. */
function spellingsOf(code: string): string[] {
  const letters = code.replace(/\d/g, '').length
  if (letters === 0 || letters > MAX_LETTERS) return []
  let spellings = ['']
  for (const character of code) {
    const cases = [...new Set([character.toLowerCase(), character.toUpperCase()])]
    spellings = spellings.flatMap((start) => cases.map((end) => start + end))
  }
  return spellings.filter((spelling) => spelling !== code)
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

/*
 * The transaction that stores an anonymous response also records the use of its invitation, so that an invitation
 * permits one response. The record identifies the invitation only by a keyed digest and a sealed ID, which require the
 * secret key of the installation. A job later marks the invitations in a separate transaction, so that neither
 * transaction IDs nor the order of rows link an invitation to a response.
 */
const HASH_PURPOSE = 'used invitation'
const BATCH_ROWS = 10_000

const db = ({ em }: Pick<PublicContext, 'em'>) => em.getKysely<Tables>()

/** Returns the keyed digest that identifies the use of an invitation. */
const usedInviteHash = ({ services }: Pick<PublicContext, 'services'>, inviteId: number): Buffer =>
  digest(services.secretKey, `${HASH_PURPOSE} ${inviteId}`)

/**
 * Records the use of an invitation. Call it inside a transaction.
 * @returns false when the invitation was used before
 */
export async function claimInvite(context: PublicContext, surveyId: number, inviteId: number): Promise<boolean> {
  const claimed = await db(context)
    .insertInto('used_invite')
    .values({
      hash: usedInviteHash(context, inviteId),
      survey_id: surveyId,
      sealed: seal(context.services.secretKey, HASH_PURPOSE, String(inviteId)),
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  if (!claimed) return false
  // This row is read after the insert: while the insert waited, the job may have moved an earlier claim to `used_on`.
  const { used_on } = await db(context)
    .selectFrom('invite')
    .select('used_on')
    .where('id', '=', inviteId)
    .executeTakeFirstOrThrow()
  if (used_on !== null) await releaseInvite(context, inviteId)
  return used_on === null
}

/** Deletes the claim that this transaction has recorded. Call it if no response was stored. */
export async function releaseInvite(context: PublicContext, inviteId: number): Promise<void> {
  await db(context).deleteFrom('used_invite').where('hash', '=', usedInviteHash(context, inviteId)).execute()
}

/**
 * Marks the invitations that were used since the last run, in the order of their IDs.
 * @returns the number of marked invitations
 */
export async function markUsedInvites(context: PublicContext): Promise<number> {
  let marked = 0
  for (let rows = BATCH_ROWS; rows === BATCH_ROWS; marked += rows)
    rows = await context.em.transactional((em) => markBatch({ ...context, em }))
  return marked
}

async function markBatch(context: PublicContext): Promise<number> {
  const { em, now, services } = context
  const batch = await db({ em })
    .selectFrom('used_invite')
    .select(['hash', 'sealed'])
    .orderBy('hash')
    .limit(BATCH_ROWS)
    .forUpdate()
    .execute()
  // If the secret key was replaced, the ID in the row cannot be decrypted. The digest of the row matches no invitation
  // either.
  const ids = batch
    .map(({ sealed }) => Number(unseal(services.secretKey, HASH_PURPOSE, sealed) ?? 0))
    .sort((a, b) => a - b)
  await db({ em })
    .updateTable('invite')
    .set({ used_on: sql`${now}::date` })
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('used_on', 'is', null)
    .execute()
  await db({ em })
    .deleteFrom('used_invite')
    .where('hash', '=', sql<Buffer>`any(${batch.map(({ hash }) => hash)}::bytea[])`)
    .execute()
  return batch.length
}
