import * as domain from '../../domain/email/test-email.ts'
import type { Task } from '../task.ts'

export const sendTestEmail: Task<'send-test-email'> = (context, { message, survey }) =>
  domain.sendTestEmail(context, message, survey)
