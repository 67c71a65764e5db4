import * as domain from '../../domain/invitation/used-invite.ts'
import type { Task } from '../task.ts'

export const markUsedInvites: Task<'mark-used-invites'> = async (context) => {
  await domain.markUsedInvites(context)
}
