import * as notice from '../../domain/email/system-email.ts'
import type { Task } from '../task.ts'

export const sendNotice: Task<'send-notice'> = (context, payload) => notice.sendNotice(context, payload)
