import type { Tasks } from './task.ts'
import { pruneDeliveries } from './tasks/prune-deliveries.ts'

/** Who does which job. */
export const tasks: Tasks = {
  'prune-deliveries': pruneDeliveries,
}
