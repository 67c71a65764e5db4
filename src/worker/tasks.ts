import type { Tasks } from './task.ts'
import { pruneDeliveries } from './tasks/prune-deliveries.ts'
import { sendEmail } from './tasks/send-email.ts'
import { sendNotice } from './tasks/send-notice.ts'

/** Who does which job. */
export const tasks: Tasks = {
  'prune-deliveries': pruneDeliveries,
  'send-email': sendEmail,
  'send-notice': sendNotice,
}
