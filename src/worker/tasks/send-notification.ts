import * as domain from '../../domain/notification/send.ts'
import type { Task } from '../task.ts'

export const sendNotification: Task<'send-notification'> = (context, payload) =>
  domain.sendNotification(context, payload)
