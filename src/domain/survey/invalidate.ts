import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tables } from '../tables.ts'

/**
 * Invalidates the cached snapshots of a survey by incrementing its revision. Call it with each change that a snapshot
 * contains and that does not update the row of the survey. Locks the row until the commit.
 */
export async function invalidateSurvey(em: EntityManager, id: number): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('survey')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
