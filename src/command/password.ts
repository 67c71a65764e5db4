import { ConfigError } from '../config.ts'
import { setPassword } from '../domain/account/change-password.ts'
import { findAccountByLogin } from '../domain/account/credentials.ts'
import { randomCode } from '../lib/secrets.ts'
import { withService } from './service.ts'

/** `password <name>`: sets a new password, prints it once, and revokes the sessions and applications of the account. */
export async function run(name: string): Promise<void> {
  await withService(async ({ orm, services }) => {
    const password = randomCode(20)
    await orm.em.fork().transactional(async (em) => {
      const account = await findAccountByLogin(em, name)
      if (!account) throw new ConfigError(`There is no account with the username or email address ${name}.`)
      await setPassword({ em, now: new Date(), services }, account.id, password, { applications: false })
    })
    console.log(`password   ${password}`)
  })
}
