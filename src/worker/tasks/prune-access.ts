import { pruneAccess as pruneDoors } from '../../domain/account/prune.ts'
import { pruneRespondentSessions } from '../../domain/identity/session.ts'
import { pruneGrants } from '../../domain/oauth/prune.ts'
import { pruneSecurityLog } from '../../domain/security/queries.ts'
import { pruneDrafts } from '../../domain/taking/draft.ts'
import type { Task } from '../task.ts'

export const pruneAccess: Task<'prune-access'> = async (context, _payload, signal) => {
  for (const prune of [pruneDoors, pruneGrants, pruneRespondentSessions, pruneDrafts, pruneSecurityLog])
    await prune(context, signal)
}
