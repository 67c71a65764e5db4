import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Account } from './account.ts'
import { checkAccount, createAccount, type NewAccount } from './commands.ts'
import { findByName } from './credentials.ts'
import { putEmail } from './email-change.ts'
import { putPassword } from './new-password.ts'
import { passwordMatches } from './password.ts'

/** The name of the API key that the settings hold. */
export const SETTINGS_KEY = 'ADMIN_API_KEY'

export type Administrator = NewAccount & { apiKey?: string | undefined }

/**
 * Creates the administrator named by the settings, or brings an existing one in step with them. The account is found by its user
 * name only: an address can be entered by anybody. An account that was no developer account before is taken over: nothing
 * that opened it until now works any longer.
 * @returns whether its API key works: one that was revoked stays revoked
 * @throws {Problem} `email_taken` when another account has the address, `invalid_request`
 */
export async function upsertAdmin(context: PublicContext, admin: Administrator): Promise<{ keyWorks: boolean }> {
  checkAccount(admin)
  const { em } = context
  const found = await findByName(em, admin.username)
  const holder = await findByName(em, admin.email)
  if (holder && holder.id !== found?.id)
    throw problems.emailTaken(
      `ADMIN_EMAIL: ${admin.email} is the address of the account "${holder.username}". Set another address, or first give that account another one: node src/main.ts email ${holder.username} <address>`,
    )
  const account = found ?? (await createAccount(context, { ...admin, isDeveloper: true }))
  const isTakenOver = found?.isDeveloper === false
  if (found) await bringInStep(context, found, admin, isTakenOver)
  return { keyWorks: await keepSettingsKey(context, account, admin.apiKey, isTakenOver) }
}

async function bringInStep(
  context: PublicContext,
  account: Account,
  { username, email, password }: Administrator,
  isTakenOver: boolean,
): Promise<void> {
  const { em, services } = context
  const isSameEmail = account.email === email
  em.assign(account, { username, isDeveloper: true })
  await em.flush()
  // Not at every start: a new hash of the same password would end all that is open.
  if (isTakenOver || !(await passwordMatches(account.passwordHash, password)))
    await putPassword(context, account.id, password, { applications: false })
  if (!isSameEmail) await putEmail(context, account.id, email)
  await services.forgetCredentials(em, [account.id])
}

/**
 * Makes the key of the settings the account's, and revokes those that the settings held before. Earlier versions kept them
 * without a name.
 */
async function keepSettingsKey(
  { em, now, services }: PublicContext,
  { id }: Account,
  key: string | undefined,
  isTakenOver: boolean,
): Promise<boolean> {
  const db = em.getKysely<Tables>()
  const hash = key === undefined ? undefined : digest(services.secretKey, key)
  let ended = db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('account_id', '=', id)
    .where('revoked_at', 'is', null)
  if (!isTakenOver) ended = ended.where('name', 'in', hash ? [SETTINGS_KEY, ''] : [SETTINGS_KEY])
  if (hash) ended = ended.where('hash', '!=', hash)
  await ended.execute()
  if (!hash) return true
  const { revoked_at } = await db
    .insertInto('api_key')
    .values({ account_id: id, hash, name: SETTINGS_KEY, hint: key!.slice(-4), created_at: now, revoked_at: null })
    // A key that was another account's until now: the settings say whose it is.
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ account_id: id, name: SETTINGS_KEY }))
    .returning('revoked_at')
    .executeTakeFirstOrThrow()
  return revoked_at === null
}
