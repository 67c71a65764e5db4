import { ConfigError } from '../config.ts'
import { createAccount, issueApiKey } from '../domain/account/commands.ts'
import { randomCode } from '../lib/token.ts'
import { withService } from './service.ts'

/** `user <name> <email> [--developer]`: creates an account and prints its secrets once. */
export async function run(args: string[]): Promise<void> {
  const [username, email] = args.filter((arg) => !arg.startsWith('--'))
  if (!username || !email)
    throw new ConfigError('Enter a username and an email address. Example: user ann ann@example.org')
  await withService(async ({ orm, services }) => {
    const password = randomCode(20)
    const apiKey = await orm.em.fork().transactional(async (em) => {
      const context = { em, now: new Date(), services }
      const isDeveloper = args.includes('--developer')
      return issueApiKey(context, await createAccount(context, { username, email, password, isDeveloper }))
    })
    console.log(`username   ${username}\npassword   ${password}\nAPI key    ${apiKey}`)
  })
}
