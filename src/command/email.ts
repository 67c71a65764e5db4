import { ConfigError } from '../config.ts'
import { findAccountByLogin } from '../domain/account/credentials.ts'
import { setEmail } from '../domain/account/email-change.ts'
import { isEmailAddress, readEmailAddress } from '../domain/email-address.ts'
import { withService } from './service.ts'

/** `email <name> <address>`: sets the email address of an account without confirmation; the old address is notified. */
export async function run(name: string, written: string): Promise<void> {
  const email = readEmailAddress(written)
  if (!isEmailAddress(email)) throw new ConfigError(`${written} is not a valid email address. Example: ann@example.org`)
  await withService(async ({ orm, services }) => {
    await orm.em.fork().transactional(async (em) => {
      const account = await findAccountByLogin(em, name)
      if (!account) throw new ConfigError(`There is no account with the username or email address ${name}.`)
      await setEmail({ em, now: new Date(), services }, account.id, email)
    })
    console.log(`email      ${email}`)
  })
}
