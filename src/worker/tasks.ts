import type { Tasks } from './task.ts'
import { markUsedInvites } from './tasks/mark-used-invites.ts'
import { pruneAccess } from './tasks/prune-access.ts'
import { pruneDeliveries } from './tasks/prune-deliveries.ts'
import { requestPassword } from './tasks/request-password.ts'
import { sealChunks } from './tasks/seal-chunks.ts'
import { sendEmail } from './tasks/send-email.ts'
import { sendLetter } from './tasks/send-letter.ts'
import { sendNotice } from './tasks/send-notice.ts'
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
