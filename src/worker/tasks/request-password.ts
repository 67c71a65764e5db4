import * as domain from '../../domain/account/change-password.ts'
import type { Task } from '../task.ts'

export const requestPassword: Task<'request-password'> = (context, { name }) =>
  context.em.transactional((em) => domain.sendPasswordResetEmail({ ...context, em }, name))
