import { ConfigError } from '../config.ts'
import { setPlan } from '../domain/account/commands.ts'
import { findAccountByLogin } from '../domain/account/credentials.ts'
import { withService } from './service.ts'

/** `plan <name> <plan>`: sets the plan of an account, which sets its limit of API requests. */
export async function run(name: string, plan: string): Promise<void> {
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
