import { findPlan } from '../../domain/account/plan.ts'
import { findAccount } from '../../domain/account/queries.ts'
import type { Operation } from './operation.ts'
import { planUri } from './urls.ts'
import { userView } from './views.ts'

export const getCurrentUser: Operation<'getCurrentUser'> = async ({ context }) => {
  const account = await findAccount(context, context.actor.id)
  return { status: 200, body: { user: userView(context.site, account) } }
}

export const getUser: Operation<'getUser'> = async ({ context, path }) => {
  return { status: 200, body: userView(context.site, await findAccount(context, path.user_id)) }
}

export const getPlan: Operation<'getPlan'> = async ({ context, path }) => {
  const { name, description } = findPlan(path.plan_name)
  return { status: 200, body: { name, description, uri: planUri(context.site, name) } }
}

export { getUser as getUserAlias }
