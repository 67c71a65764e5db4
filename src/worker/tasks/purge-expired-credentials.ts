import { pruneAccess as pruneDoors } from '../../domain/account/purge-expired.ts'
import { pruneRespondentSessions } from '../../domain/identity/session.ts'
import { pruneGrants } from '../../domain/oauth/purge-expired.ts'
import { pruneSecurityLog } from '../../domain/security/queries.ts'
import { pruneDrafts } from '../../domain/respondent/draft.ts'
import type { Task } from '../task.ts'

export const pruneAccess: Task<'prune-access'> = async (context, _payload, signal) => {
  for (const prune of [pruneDoors, pruneGrants, pruneRespondentSessions, pruneDrafts, pruneSecurityLog])
    await prune(context, signal)
}
