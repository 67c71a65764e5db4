import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Account } from './account.ts'
import { setPassword } from './change-password.ts'
import { checkAccount, createAccount, type NewAccount } from './commands.ts'
import { findAccountByLogin } from './credentials.ts'
import { setEmail } from './email-change.ts'
import { passwordMatches } from './password.ts'

/** The name of the API key that the settings hold. */
export const ADMIN_KEY_NAME = 'ADMIN_API_KEY'

export type AdminSettings = NewAccount & { apiKey?: string | undefined }

/**
 * Creates the administrator named by the settings, or brings an existing one in step with them. The account is found by its user
 * name only: an address can be entered by anybody. An account that was no developer account before is taken over: nothing
 * that opened it until now works any longer.
 * @returns whether its API key works: one that was revoked stays revoked
 * @throws {Problem} `email_taken` when another account has the address, `invalid_request`
 */
export async function upsertAdmin(context: PublicContext, admin: AdminSettings): Promise<{ keyWorks: boolean }> {
  checkAccount(admin)
  const { em } = context
  const found = await findAccountByLogin(em, admin.username)
  const holder = await findAccountByLogin(em, admin.email)
  if (holder && holder.id !== found?.id)
    throw problems.emailTaken(
      `ADMIN_EMAIL: ${admin.email} is the address of the account "${holder.username}". Set another address, or first give that account another one: node src/main.ts email ${holder.username} <address>`,
    )
  const account = found ?? (await createAccount(context, { ...admin, isDeveloper: true }))
  const isTakenOver = found?.isDeveloper === false
  if (found) await updateAdmin(context, found, admin, isTakenOver)
  return { keyWorks: await syncAdminApiKey(context, account, admin.apiKey, isTakenOver) }
}

async function updateAdmin(
  context: PublicContext,
  account: Account,
  { username, email, password }: AdminSettings,
  isTakenOver: boolean,
): Promise<void> {
  const { em, services } = context
  const isSameEmail = account.email === email
  em.assign(account, { username, isDeveloper: true })
  await em.flush()
  // Not at every start: a new hash of the same password would end all that is open.
  if (isTakenOver || !(await passwordMatches(account.passwordHash, password)))
    await setPassword(context, account.id, password, { applications: false })
  if (!isSameEmail) await setEmail(context, account.id, email)
  await services.invalidateCredentials(em, [account.id])
}

/**
 * Makes the key of the settings the account's, and revokes those that the settings held before. Earlier versions kept them
 * without a name.
 */
async function syncAdminApiKey(
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
  if (!isTakenOver) ended = ended.where('name', 'in', hash ? [ADMIN_KEY_NAME, ''] : [ADMIN_KEY_NAME])
  if (hash) ended = ended.where('hash', '!=', hash)
  await ended.execute()
  if (!hash) return true
  const { revoked_at } = await db
    .insertInto('api_key')
    .values({ account_id: id, hash, name: ADMIN_KEY_NAME, hint: key!.slice(-4), created_at: now, revoked_at: null })
    // A key that was another account's until now: the settings say whose it is.
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ account_id: id, name: ADMIN_KEY_NAME }))
    .returning('revoked_at')
    .executeTakeFirstOrThrow()
  return revoked_at === null
}
