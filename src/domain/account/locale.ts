import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { Account } from './account.ts'

/**
 * Changes the language and the time zone of the pages of the actor.
 * @param change the language is one that the pages offer; null for the settings of the browser
 * @throws {Problem} `invalid_request` for an unknown time zone
 */
export async function changeLocale(
  { em, actor }: Context,
  change: { language: string | null; timeZone: string | null },
): Promise<void> {
  if (change.timeZone !== null && !isTimeZone(change.timeZone))
    throw problems.invalidField('time_zone', 'invalid_value')
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  em.assign(account, change)
  await em.flush()
}

const isTimeZone = (name: string): boolean => name === 'UTC' || Intl.supportedValuesOf('timeZone').includes(name)
