import * as domain from '../../domain/response/sweep.ts'
import type { Task } from '../task.ts'

export const sweepOrphans: Task<'sweep-orphans'> = (context, _payload, signal) => domain.sweepOrphans(context, signal)
