import { findAccount } from '../../domain/account/queries.ts'
import type { Operation } from './operation.ts'
import { userView } from './views.ts'

export const getUser: Operation<'getUser'> = async ({ context, path }) => {
  return { status: 200, body: userView(context.site, await findAccount(context, path.user_id)) }
}
