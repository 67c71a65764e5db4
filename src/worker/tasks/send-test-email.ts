import * as tryOut from '../../domain/email/test-email.ts'
import type { Task } from '../task.ts'

export const sendTestEmail: Task<'send-letter'> = (context, { letter }) => tryOut.sendTestEmail(context, letter)
