import { ConfigError, readConfig } from '../config.ts'
import { createAccount, issueApiKey } from '../domain/account/commands.ts'
import { createLog } from '../lib/log.ts'
import { randomCode } from '../lib/token.ts'
import { wire } from '../wire.ts'
import { openDatabase } from './database.ts'

/** `user <name> <email> [--developer]`: makes an account and prints its secrets, once. */
export async function run(words: string[]): Promise<void> {
  const [username, email] = words.filter((word) => !word.startsWith('--'))
  if (!username || !email) throw new ConfigError('Say the user name and the e-mail address: user ann ann@example.org')
  const config = readConfig()
  const database = await openDatabase(config)
  const wired = await wire({ config, databaseUrl: database.url, log: createLog('silent'), clock: () => new Date(), strict: false })
  try {
    const password = randomCode(20)
    const key = await wired.orm.em.fork().transactional(async (em) => {
      const context = { em, now: new Date(), site: wired.site }
      const account = await createAccount(context, { username, email, password, isDeveloper: words.includes('--developer') })
      return issueApiKey(context, account)
    })
    console.log(`user name  ${username}\npassword   ${password}\nAPI key    ${key}`)
  } finally {
    await wired.close()
    await database.stop()
  }
}
