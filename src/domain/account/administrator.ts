import type { Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { recordSecurityEvent, type SecurityEventDetails, type SecurityEventKind } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { deleteOneTimeTokens } from './one-time-token.ts'
import { endSessions } from './session.ts'

/** The `by` of an entry in the log if a person at the command line acted. */
export const COMMAND_LINE = 0

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Checks that the actor is an administrator.
 * @throws {Problem} `user_not_found`
 */
export async function assertAdministrator(context: Context): Promise<void> {
  const row = await db(context)
    .selectFrom('account')
    .select('id')
    .where('id', '=', context.actor.id)
    .where('is_administrator', '=', true)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw problems.userNotFound()
}

/**
 * Records what an administrator did with an account: in the log of the installation, and in that of the account. The
 * caller has locked the account, so that no deadlock can occur.
 * @param by the id of the administrator, or {@link COMMAND_LINE}
 */
export async function recordAdministration(
  context: PublicContext,
  by: number,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
): Promise<void> {
  const entry = { by, member: accountId, ...details }
  await recordSecurityEvent(context, INSTALLATION, kind, entry)
  await recordSecurityEvent(context, accountId, kind, entry)
}

/**
 * Checks that another account is an administrator, and locks all administrators until the commit. Call it inside a
 * transaction before an account stops being one.
 * @throws {Problem} `forbidden` for the last administrator
 */
export async function assertNotLastAdministrator(context: PublicContext, accountId: number): Promise<void> {
  const administrators = await db(context)
    .selectFrom('account')
    .select('id')
    .where('is_administrator', '=', true)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  if (administrators.length === 1 && administrators[0]!.id === accountId) throw problems.lastAdministrator()
}

/**
 * Makes an account an administrator, or an ordinary account. Call it inside a transaction.
 * @returns false if it is one already, or is none
 * @throws {Problem} `forbidden` for the last administrator
 */
export async function setAdministrator(
  context: PublicContext,
  by: number,
  accountId: number,
  isAdministrator: boolean,
): Promise<boolean> {
  if (!isAdministrator) await assertNotLastAdministrator(context, accountId)
  const { numUpdatedRows } = await db(context)
    .updateTable('account')
    .set({ is_administrator: isAdministrator })
    .where('id', '=', accountId)
    .where('is_administrator', '=', !isAdministrator)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  const kind = isAdministrator ? 'administrator_granted' : 'administrator_revoked'
  await recordAdministration(context, by, accountId, kind)
  return true
}

/**
 * Disables an account: ends its sessions and links, and stops its password, API keys and applications until it is
 * enabled. Its surveys, emails and webhooks continue. Call it inside a transaction.
 * @returns false if it is disabled already
 * @throws {Problem} `forbidden` for the last administrator
 */
export async function disableAccount(context: PublicContext, by: number, accountId: number): Promise<boolean> {
  await assertNotLastAdministrator(context, accountId)
  const { numUpdatedRows } = await db(context)
    .updateTable('account')
    .set({ disabled_at: context.now })
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await deleteOneTimeTokens(context, accountId)
  await endSessions(context, accountId)
  await context.services.invalidateCredentials(context.em, [accountId])
  await recordAdministration(context, by, accountId, 'account_disabled')
  return true
}

/** Enables an account again, with its password, API keys and applications. @returns false if it is enabled already */
export async function enableAccount(context: PublicContext, by: number, accountId: number): Promise<boolean> {
  const { numUpdatedRows } = await db(context)
    .updateTable('account')
    .set({ disabled_at: null })
    .where('id', '=', accountId)
    .where('disabled_at', 'is not', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await recordAdministration(context, by, accountId, 'account_enabled')
  return true
}
