import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Account } from './account.ts'
import { setPassword } from './change-password.ts'
import { checkAccount, createAccount, type NewAccount } from './commands.ts'
import { findAccountByLogin } from './credentials.ts'
import { setEmail } from './email-change.ts'
import { passwordMatches } from './password.ts'

/** The name of the API key that is set by `ADMIN_API_KEY`. */
export const ADMIN_KEY_NAME = 'ADMIN_API_KEY'

/** The administrator account of the settings (`ADMIN_USERNAME` and others). */
export type AdminSettings = NewAccount & { apiKey?: string | undefined }

/**
 * Creates the administrator account of the settings, or updates it. Finds the account only by its username, because
 * anyone can register with any email address. If an existing account becomes a developer account, all its earlier
 * credentials are revoked.
 * @returns `keyWorks`: false if the API key of the settings has been revoked, because a revoked key stays revoked
 * @throws {Problem} `email_taken` if another account has the address, `invalid_request`
 */
export async function upsertAdmin(context: PublicContext, admin: AdminSettings): Promise<{ keyWorks: boolean }> {
  checkAccount(admin)
  const { em } = context
  const existing = await findAccountByLogin(em, admin.username)
  const emailOwner = await findAccountByLogin(em, admin.email)
  if (emailOwner && emailOwner.id !== existing?.id)
    throw problems.emailTaken(
      `ADMIN_EMAIL: ${admin.email} is the address of the account "${emailOwner.username}". Set another address, or first give that account another one: canvass email ${emailOwner.username} <address>`,
    )
  const account = existing ?? (await createAccount(context, { ...admin, isDeveloper: true }))
  const isPromoted = existing?.isDeveloper === false
  if (existing) await updateAdmin(context, existing, admin, isPromoted)
  return { keyWorks: await syncAdminApiKey(context, account, admin.apiKey, isPromoted) }
}

async function updateAdmin(
  context: PublicContext,
  account: Account,
  { username, email, password }: AdminSettings,
  isPromoted: boolean,
): Promise<void> {
  const { em, services } = context
  const isSameEmail = account.email === email
  em.assign(account, { username, isDeveloper: true })
  await em.flush()
  // An unchanged password is not set again, because that would end all sessions whenever the server starts.
  if (isPromoted || !(await passwordMatches(account.passwordHash, password)))
    await setPassword(context, account.id, password, { applications: false })
  if (!isSameEmail) await setEmail(context, account.id, email)
  await services.invalidateCredentials(em, [account.id])
}

/**
 * Stores the API key of the settings for the account, and revokes the keys that the setting contained before. Earlier
 * versions stored such keys without a name.
 * @returns false if the key has been revoked
 */
async function syncAdminApiKey(
  { em, now, services }: PublicContext,
  { id }: Account,
  key: string | undefined,
  isPromoted: boolean,
): Promise<boolean> {
  const db = em.getKysely<Tables>()
  const hash = key === undefined ? undefined : digest(services.secretKey, key)
  let revoked = db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('account_id', '=', id)
    .where('revoked_at', 'is', null)
  if (!isPromoted) revoked = revoked.where('name', 'in', hash ? [ADMIN_KEY_NAME, ''] : [ADMIN_KEY_NAME])
  if (hash) revoked = revoked.where('hash', '!=', hash)
  await revoked.execute()
  if (!hash) return true
  const { revoked_at } = await db
    .insertInto('api_key')
    .values({ account_id: id, hash, name: ADMIN_KEY_NAME, hint: key!.slice(-4), created_at: now, revoked_at: null })
    // If another account had this key, the key is moved to the account of the settings.
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ account_id: id, name: ADMIN_KEY_NAME }))
    .returning('revoked_at')
    .executeTakeFirstOrThrow()
  return revoked_at === null
}
