import * as prune from '../../domain/webhook/prune.ts'
import type { Task } from '../task.ts'

export const pruneDeliveries: Task<'prune-deliveries'> = async (context) => {
  await prune.pruneDeliveries(context)
}
