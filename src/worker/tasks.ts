import type { Tasks } from './task.ts'
import { markUsedInvites } from './tasks/mark-used-invites.ts'
import { pruneAccess } from './tasks/purge-expired-credentials.ts'
import { pruneDeliveries } from './tasks/purge-webhook-deliveries.ts'
import { requestPassword } from './tasks/request-password.ts'
import { sealChunks } from './tasks/refresh-rollups.ts'
import { sendEmail } from './tasks/send-email.ts'
import { sendLetter } from './tasks/send-test-email.ts'
import { sendNotice } from './tasks/send-system-email.ts'
import { sweepOrphans } from './tasks/sweep-orphans.ts'

/** Who does which job. */
export const tasks: Tasks = {
  'mark-used-invites': markUsedInvites,
  'prune-access': pruneAccess,
  'prune-deliveries': pruneDeliveries,
  'request-password': requestPassword,
  'seal-chunks': sealChunks,
  'send-email': sendEmail,
  'send-letter': sendLetter,
  'send-notice': sendNotice,
  'sweep-orphans': sweepOrphans,
}
