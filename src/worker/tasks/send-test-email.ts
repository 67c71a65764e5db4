import * as tryOut from '../../domain/email/test-email.ts'
import type { Task } from '../task.ts'

export const sendLetter: Task<'send-letter'> = (context, { letter }) => tryOut.sendLetter(context, letter)
