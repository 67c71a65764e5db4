import type { EntityManager } from '@mikro-orm/postgresql'
import { assertOwnAccount } from '../account/account.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { FONT_TYPE } from './font.ts'
import { type ParsedTheme, parseTheme, type ThemeChange } from './parse-theme.ts'
import { FILE_MEMBERS, type FileMember, inheritTheme, type LogoType, type Theme } from './theme.ts'

/** Identifies the theme of an account, or the theme of one of its surveys. */
interface ThemeOwner {
  accountId: number
  /** Null: the theme of the account. */
  surveyId: number | null
}

/** The stored themes of a survey and its account; empty objects for none. */
export interface StoredThemes {
  account: Partial<Theme>
  survey: Partial<Theme>
}

/** Returns the stored themes of an account and of a survey, with one query. */
export async function findThemes(em: EntityManager, { accountId, surveyId }: ThemeOwner): Promise<StoredThemes> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('theme')
    .select(['survey_id', 'theme'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('survey_id', 'is', null), eb('survey_id', '=', surveyId)]))
    .execute()
  return {
    account: rows.find(({ survey_id }) => survey_id === null)?.theme ?? {},
    survey: rows.find(({ survey_id }) => survey_id !== null)?.theme ?? {},
  }
}

/** The columns of the files of a theme. */
const FILE_COLUMNS = FILE_MEMBERS.flatMap((member) => [`${member}_digest`, `${member}_type`, member] as const)

/** The values of the columns of a file that a theme does not have. */
const withoutFile = (member: FileMember) => ({ [`${member}_digest`]: null, [`${member}_type`]: null, [member]: null })

/** Stores a theme, with its new files. An earlier file that the theme no longer has is deleted. */
export async function saveTheme(
  em: EntityManager,
  { accountId, surveyId }: ThemeOwner,
  { theme, files }: ParsedTheme,
): Promise<void> {
  const columns = FILE_MEMBERS.map((member) => {
    const file = files[member]
    if (file) return { [`${member}_digest`]: file.digest, [`${member}_type`]: file.type, [member]: file.bytes }
    return theme[member] ? {} : withoutFile(member)
  })
  const values: { theme: string } = Object.assign({ theme: JSON.stringify(theme) }, ...columns)
  await em
    .getKysely<Tables>()
    .insertInto('theme')
    .values({ account_id: accountId, survey_id: surveyId, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'survey_id']).doUpdateSet(values))
    .execute()
}

/** Copies the theme of a survey to another survey, with its files. */
export async function copyTheme(em: EntityManager, from: number, to: ThemeOwner): Promise<void> {
  await em
    .getKysely<Tables>()
    .insertInto('theme')
    .columns(['account_id', 'survey_id', 'theme', ...FILE_COLUMNS])
    .expression((eb) =>
      eb
        .selectFrom('theme')
        .select((each) => [
          each.val(to.accountId).as('account_id'),
          each.val(to.surveyId).as('survey_id'),
          'theme',
          ...FILE_COLUMNS,
        ])
        .where('survey_id', '=', from),
    )
    .execute()
}

/** Moves the theme of a survey to another account. The survey keeps what it inherited, so its look stays. */
export async function moveTheme(em: EntityManager, surveyId: number, from: number, to: number): Promise<void> {
  const db = em.getKysely<Tables>()
  const rows = await db
    .selectFrom('theme')
    .selectAll()
    .where('account_id', '=', from)
    .where((eb) => eb.or([eb('survey_id', 'is', null), eb('survey_id', '=', surveyId)]))
    .execute()
  if (rows.length === 0) return
  const account = rows.find(({ survey_id }) => survey_id === null)
  const survey = rows.find(({ survey_id }) => survey_id !== null)
  const theme = inheritTheme(account?.theme ?? {}, survey?.theme ?? {})
  const columns = FILE_MEMBERS.map((member) => {
    const row = survey?.theme[member] ? survey : account
    if (!row || !theme[member]) return withoutFile(member)
    return Object.fromEntries(
      ([`${member}_digest`, `${member}_type`, member] as const).map((column) => [column, row[column]]),
    )
  })
  await db.deleteFrom('theme').where('survey_id', '=', surveyId).execute()
  await db
    .insertInto('theme')
    .values(Object.assign({ account_id: to, survey_id: surveyId, theme: JSON.stringify(theme) }, ...columns))
    .execute()
}

/** Returns a file of a theme by its digest and type; undefined if no theme has it. */
export async function findThemeFile(
  em: EntityManager,
  member: FileMember,
  digest: string,
  type: LogoType | typeof FONT_TYPE,
): Promise<Buffer | undefined> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('theme')
    .select(`${member} as file`)
    .where(`${member}_digest`, '=', digest)
    .where(`${member}_type`, '=', type)
    .limit(1)
    .executeTakeFirst()
  return row?.file ?? undefined
}

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
  const parsed = parseTheme(change, current, context.services.secretKey)
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
