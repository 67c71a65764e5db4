import * as notice from '../../domain/system-email.ts'
import type { Task } from '../task.ts'

export const sendSystemEmail: Task<'send-notice'> = (context, payload) => notice.sendSystemEmail(context, payload)
