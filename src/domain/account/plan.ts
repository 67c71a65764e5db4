import { problems } from '../problem.ts'

/** A subscription plan. A self-hosted installation has one, without limits. */
export interface Plan {
  name: string
  description: string
}

const plans: ReadonlyMap<string, Plan> = new Map(
  [{ name: 'standard', description: 'Every feature, without limits on surveys, responses or contacts.' }].map(
    (plan) => [plan.name, plan],
  ),
)

/**
 * Returns a plan by name.
 * @throws {Problem} `plan_not_found`
 */
export function findPlan(name: string): Plan {
  const plan = plans.get(name)
  if (!plan) throw problems.planNotFound()
  return plan
}
