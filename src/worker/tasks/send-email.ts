import { deliverEmail } from '../../domain/email/deliver.ts'
import type { Task } from '../task.ts'

export const sendEmail: Task<'send-email'> = (context, { email }, signal) => deliverEmail(context, email, signal)
