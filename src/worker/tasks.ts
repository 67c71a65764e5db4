import type { Tasks } from './task.ts'
import { backUp } from './tasks/back-up.ts'
import { deleteFileObjects } from './tasks/delete-file-objects.ts'
import { enqueueNotifications } from './tasks/enqueue-notifications.ts'
import { markUsedInvites } from './tasks/mark-used-invites.ts'
import { purgeExpiredCredentials } from './tasks/purge-expired-credentials.ts'
import { purgeDeliveries } from './tasks/purge-webhook-deliveries.ts'
import { readBounces } from './tasks/read-bounces.ts'
import { refreshRollups } from './tasks/refresh-rollups.ts'
import { requestPassword } from './tasks/request-password.ts'
import { sendEmail } from './tasks/send-email.ts'
import { sendNotification } from './tasks/send-notification.ts'
import { sendReminders } from './tasks/send-reminders.ts'
import { sendSystemEmail } from './tasks/send-system-email.ts'
import { sendTestEmail } from './tasks/send-test-email.ts'
import { sweepOrphans } from './tasks/sweep-orphans.ts'

/** The task that runs each job. */
export const tasks: Tasks = {
  'back-up': backUp,
  'delete-file-objects': deleteFileObjects,
  'enqueue-notifications': enqueueNotifications,
  'mark-used-invites': markUsedInvites,
  'purge-expired-credentials': purgeExpiredCredentials,
  'purge-webhook-deliveries': purgeDeliveries,
  'read-bounces': readBounces,
  'request-password': requestPassword,
  'refresh-rollups': refreshRollups,
  'send-email': sendEmail,
  'send-notification': sendNotification,
  'send-reminders': sendReminders,
  'send-test-email': sendTestEmail,
  'send-system-email': sendSystemEmail,
  'sweep-orphans': sweepOrphans,
}
