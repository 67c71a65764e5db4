import * as domain from '../../domain/rollup/refresh.ts'
import type { Task } from '../task.ts'

export const refreshRollups: Task<'refresh-rollups'> = async (context, _payload, signal) => {
  await domain.refreshRollups(context, signal)
}
