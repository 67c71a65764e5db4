import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tables } from '../tables.ts'

/**
 * Invalidates the cached snapshots of a survey by incrementing its revision. Call it after a change of other tables
 * whose rows a snapshot contains. (If the survey entity changes, MikroORM increments the revision.) Locks the row until
 * the commit.
 */
export async function invalidateSurvey(em: EntityManager, id: number): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('survey')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
