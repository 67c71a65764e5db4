import { sendDueReminders } from '../../domain/email/reminders.ts'
import type { Task } from '../task.ts'

export const sendReminders: Task<'send-reminders'> = (context, _payload, signal) => sendDueReminders(context, signal)
