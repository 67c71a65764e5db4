import * as sweep from '../../domain/response/sweep.ts'
import type { Task } from '../task.ts'

export const sweepOrphans: Task<'sweep-orphans'> = (context, _payload, signal) => sweep.sweepOrphans(context, signal)
