import { assertOwnAccount, findAccount } from '../../domain/account/account.ts'
import { exportAccount } from '../../domain/account-data/archive.ts'
import { deleteAccount } from '../../domain/account-data/delete.ts'
import { attachment } from '../attachment.ts'
import type { Operation } from './operation.ts'
import { deletionView, userView } from './views.ts'

export const getCurrentUser: Operation<'getCurrentUser'> = async ({ context }) => {
  return { status: 200, body: userView(context.services, await findAccount(context, context.actor.id)) }
}

export const getUser: Operation<'getUser'> = async ({ context, path }) => {
  return { status: 200, body: userView(context.services, await findAccount(context, path.user_id)) }
}

export const deleteUser: Operation<'deleteUser'> = async ({ context, path, body }) => {
  assertOwnAccount(context, path.user_id)
  // The login throttle counts wrong passwords in the body for the account, whatever the IP address of the client is.
  const origin = { ipAddress: '', agent: `account ${context.actor.id}` }
  return { status: 200, body: deletionView(await deleteAccount(context, body.password, origin)) }
}

export const exportUser: Operation<'exportUser'> = async ({ context, path }) => {
  assertOwnAccount(context, path.user_id)
  return {
    status: 200,
    stream: await exportAccount(context),
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': attachment(`${context.actor.username}.zip`),
    },
  }
}
