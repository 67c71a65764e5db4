import { Account } from '../../domain/account/account.ts'
import type { Operation } from './operation.ts'
import { userView } from './views.ts'

export const getCurrentUser: Operation<'getCurrentUser'> = async ({ context }) => {
  const account = await context.em.findOneOrFail(Account, context.actor.id)
  return { status: 200, body: { user: userView(context.site, account) } }
}
