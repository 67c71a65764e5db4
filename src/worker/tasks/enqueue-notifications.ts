import { enqueueDueNotifications } from '../../domain/notification/enqueue-due.ts'
import type { Task } from '../task.ts'

export const enqueueNotifications: Task<'enqueue-notifications'> = (context, _payload, signal) =>
  enqueueDueNotifications(context, signal)
