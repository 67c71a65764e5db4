import { issueApiKey } from '../domain/account/api-keys.ts'
import { createAccount } from '../domain/account/commands.ts'
import { randomCode } from '../lib/secrets.ts'
import { withService } from './service.ts'

/** `user <name> <email> [--developer]`: creates an account and prints its secrets once. */
export async function run(username: string, email: string, { developer = false }): Promise<void> {
  await withService(async ({ orm, services }) => {
    const password = randomCode(20)
    const apiKey = await orm.em.fork().transactional(async (em) => {
      const context = { em, now: new Date(), services }
      return issueApiKey(context, await createAccount(context, { username, email, password, isDeveloper: developer }))
    })
    console.log(`username   ${username}\npassword   ${password}\nAPI key    ${apiKey}`)
  })
}
