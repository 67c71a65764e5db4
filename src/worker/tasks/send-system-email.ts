import * as domain from '../../domain/system-email.ts'
import type { Task } from '../task.ts'

export const sendSystemEmail: Task<'send-system-email'> = (context, payload) => domain.sendSystemEmail(context, payload)
