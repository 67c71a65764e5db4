import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { RequestLimits } from '../request-limits.ts'
import type { Account } from './account.ts'

/** A plan defined by the setting `RATE_LIMITS`. Each plan has its own limit of API requests. */
export interface Plan {
  name: string
  description: string
}

const FEATURES = 'Every feature, without limits on surveys, responses or contacts.'

/**
 * Returns a plan by name.
 * @throws {Problem} `plan_not_found`
 */
export function findPlan(limits: RequestLimits, name: string): Plan {
  const limit = limits.limitOf(name)
  if (!limit) throw problems.planNotFound()
  const { requests, seconds } = limit
  return { name, description: requests ? `${FEATURES} API requests: ${requests} in ${seconds} seconds.` : FEATURES }
}

/**
 * Sets the plan of an account. The limit of the plan applies from the next request on.
 * @throws {Problem} `plan_not_found`
 */
export async function setPlan({ em, services }: PublicContext, account: Account, plan: string): Promise<void> {
  account.plan = findPlan(services.requestLimits, plan).name
  await em.flush()
  await services.invalidateCredentials(em, [account.id])
}
