import { assertOwnAccount } from '../account/account.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import { parseTheme, type ThemeChange } from './parse-theme.ts'
import { findThemes, saveTheme } from './store.ts'
import type { Theme } from './theme.ts'

/**
 * Returns the theme of the actor's account; an empty object for none.
 * @throws {Problem} `user_not_found` for another account
 */
export async function findAccountTheme(context: Context, id: number): Promise<Partial<Theme>> {
  assertOwnAccount(context, id)
  return (await findThemes(context.em, { accountId: id, surveyId: null })).account
}

/**
 * Changes the theme of the actor's account, from which all its surveys inherit.
 * @throws {Problem} `user_not_found` for another account, `invalid_request`
 */
export async function updateAccountTheme(context: Context, id: number, change: ThemeChange): Promise<Partial<Theme>> {
  const { em } = context
  const current = await findAccountTheme(context, id)
  const parsed = parseTheme(change, current, {}, context.services.secretKey)
  await saveTheme(em, { accountId: id, surveyId: null }, parsed)
  // The snapshots of surveys contain the inherited theme, so they are no longer valid.
  await em
    .getKysely<Tables>()
    .updateTable('survey')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('owner_id', '=', id)
    .execute()
  return parsed.theme
}
