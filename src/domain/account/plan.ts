import { problems } from '../problem.ts'

/** What an account may use. This installation belongs to whoever runs it, so nothing is held back. */
export interface Plan {
  name: string
  description: string
}

const plans: ReadonlyMap<string, Plan> = new Map(
  [{ name: 'standard', description: 'Every feature, without limits on surveys, responses or contacts.' }].map(
    (plan) => [plan.name, plan],
  ),
)

/** @throws {Problem} `plan_not_found` */
export function findPlan(name: string): Plan {
  const plan = plans.get(name)
  if (!plan) throw problems.planNotFound()
  return plan
}
