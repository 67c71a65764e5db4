import { findAccount } from '../../domain/account/account.ts'
import * as users from '../../domain/account/commands.ts'
import { findPlan } from '../../domain/account/commands.ts'
import * as login from '../../domain/account/one-time-token.ts'
import { type Operation, planUri } from './operation.ts'
import { userView } from './views.ts'

export const getCurrentUser: Operation<'getCurrentUser'> = async ({ context }) => {
  const account = await findAccount(context, context.actor.id)
  return { status: 200, body: { user: userView(context.services, account) } }
}

export const getUser: Operation<'getUser'> = async ({ context, path }) => {
  return { status: 200, body: userView(context.services, await findAccount(context, path.user_id)) }
}

export const getPlan: Operation<'getPlan'> = async ({ context, path }) => {
  const { name, description } = findPlan(context.services.requestLimits, path.plan_name)
  return { status: 200, body: { name, description, uri: planUri(context.services, name) } }
}

export const createUser: Operation<'createUser'> = async ({ context, body }) => {
  const { account, generated } = await users.createUser(context, body)
  return { status: 200, body: { ...userView(context.services, account), ...(generated && { password: generated }) } }
}

export const generateLoginUrl: Operation<'generateLoginUrl'> = async ({ context, body, ipAddress }) => {
  const { actor, url } = await login.generateLoginUrl(context, body, ipAddress)
  const { id, username, email } = actor
  return { status: 200, body: { success: true, user_id: id, username, email, 'login-url': url } }
}

/** Operations under deprecated paths. They do the same as the operations above. */
export { createUser as createUserAlias, getUser as getUserAlias }
