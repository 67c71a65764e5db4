import * as domain from '../../domain/invitation/visit.ts'
import { replenishResponseIds } from '../../domain/survey/response-ids.ts'
import type { Tables } from '../../domain/tables.ts'
import type { Task } from '../task.ts'

export const markUsedInvites: Task<'mark-used-invites'> = async (context) => {
  await domain.markUsedInvites(context)
  await replenishResponseIds(context.em.getKysely<Tables>())
}
