import * as domain from '../../domain/webhook/purge-deliveries.ts'
import type { Task } from '../task.ts'

export const purgeDeliveries: Task<'purge-webhook-deliveries'> = async (context) => {
  await domain.purgeDeliveries(context)
}
