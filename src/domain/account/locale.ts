import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'

/**
 * Changes the language and the time zone of the pages of the actor.
 * @param change a language must be one that the pages offer; null: the language or time zone of the browser
 * @throws {Problem} `invalid_request` for an unknown time zone
 */
export async function changeLocale(
  { em, actor }: Context,
  change: { language: string | null; timeZone: string | null },
): Promise<void> {
  if (change.timeZone !== null && !(await isTimeZone(em, change.timeZone)))
    throw problems.invalidField('time_zone', 'invalid_value')
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  em.assign(account, change)
  await em.flush()
}

/**
 * Returns whether Node.js and PostgreSQL know a time zone. Node.js converts the times of pages, and PostgreSQL converts
 * those of daily emails.
 */
export async function isTimeZone(em: Context['em'], name: string): Promise<boolean> {
  if (name === 'UTC' || knownZones.has(name)) return true
  if (!Intl.supportedValuesOf('timeZone').includes(name)) return false
  const { rows } = await sql`select from pg_timezone_names where name = ${name}`.execute(em.getKysely<Tables>())
  if (rows.length > 0) knownZones.add(name)
  return rows.length > 0
}

/** The names that were found, because the list of PostgreSQL is read from files. */
const knownZones = new Set<string>()
