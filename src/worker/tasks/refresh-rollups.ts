import * as seal from '../../domain/rollup/refresh.ts'
import type { Task } from '../task.ts'

export const refreshRollups: Task<'seal-chunks'> = async (context, _payload, signal) => {
  await seal.refreshRollups(context, signal)
}
