import { purgeExpiredCredentials as purgeAccounts } from '../../domain/account/purge-expired.ts'
import { purgeFiles } from '../../domain/file/queries.ts'
import { purgeIdempotencyKeys } from '../../domain/idempotency.ts'
import { purgeProviderFailures } from '../../domain/identity/failure.ts'
import { purgeRespondentSessions } from '../../domain/identity/session.ts'
import { purgeImages } from '../../domain/image/use.ts'
import { purgeGrants } from '../../domain/oauth/grant.ts'
import { purgeDrafts } from '../../domain/respondent/draft.ts'
import { purgeSecurityLog } from '../../domain/security/queries.ts'
import type { Task } from '../task.ts'

export const purgeExpiredCredentials: Task<'purge-expired-credentials'> = async (context, _payload, signal) => {
  for (const purge of [
    purgeAccounts,
    purgeGrants,
    purgeRespondentSessions,
    purgeProviderFailures,
    purgeDrafts,
    purgeFiles,
    purgeImages,
    purgeIdempotencyKeys,
    purgeSecurityLog,
  ])
    await purge(context, signal)
}
