import { ConfigError } from '../config.ts'
import { issueApiKey } from '../domain/account/api-keys.ts'
import { setPassword } from '../domain/account/change-password.ts'
import { createAccount, setPlan } from '../domain/account/commands.ts'
import { findAccountByLogin } from '../domain/account/credentials.ts'
import { setEmail } from '../domain/account/email-change.ts'
import { removeSecondFactor } from '../domain/account/second-factor.ts'
import { isEmailAddress, readEmailAddress } from '../domain/email-address.ts'
import { randomCode } from '../lib/secrets.ts'
import { withService } from './service.ts'

/** `user <name> <email> [--developer]`: creates an account and prints its secrets once. */
export async function runUser(username: string, email: string, { developer = false }): Promise<void> {
  await withService(async ({ orm, services }) => {
    const password = randomCode(20)
    const apiKey = await orm.em.fork().transactional(async (em) => {
      const context = { em, now: new Date(), services }
      return issueApiKey(context, await createAccount(context, { username, email, password, isDeveloper: developer }))
    })
    console.log(`username   ${username}\npassword   ${password}\nAPI key    ${apiKey}`)
  })
}

/** `password <name>`: sets a new password, prints it once, and revokes the sessions and applications of the account. */
export async function runPassword(name: string): Promise<void> {
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

/** `second-factor <name>`: removes the second factor of an account. */
export async function runSecondFactor(name: string): Promise<void> {
  await withService(async ({ orm, services }) => {
    const removed = await orm.em.fork().transactional(async (em) => {
      const account = await findAccountByLogin(em, name)
      if (!account) throw new ConfigError(`There is no account with the username or email address ${name}.`)
      return removeSecondFactor({ em, now: new Date(), services }, account.id)
    })
    console.log(removed ? `${name} signs in with the password alone now.` : `${name} has no second factor.`)
  })
}

/** `email <name> <address>`: sets the email address of an account without confirmation; the old address is notified. */
export async function runEmail(name: string, written: string): Promise<void> {
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

/** `plan <name> <plan>`: sets the plan of an account, which sets its limit of API requests. */
export async function runPlan(name: string, plan: string): Promise<void> {
  await withService(async ({ orm, services }) => {
    const { plans } = services.requestLimits
    if (!plans.includes(plan))
      throw new ConfigError(`RATE_LIMITS contains no plan ${plan}. Plans: ${plans.join(', ')}.`)
    await orm.em.fork().transactional(async (em) => {
      const account = await findAccountByLogin(em, name)
      if (!account) throw new ConfigError(`There is no account with the username or email address ${name}.`)
      await setPlan({ em, now: new Date(), services }, account, plan)
    })
    console.log(`plan       ${plan}`)
  })
}
