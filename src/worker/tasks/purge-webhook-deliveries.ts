import * as prune from '../../domain/webhook/purge-deliveries.ts'
import type { Task } from '../task.ts'

export const purgeDeliveries: Task<'prune-deliveries'> = async (context) => {
  await prune.purgeDeliveries(context)
}
