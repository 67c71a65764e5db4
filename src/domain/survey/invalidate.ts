import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tables } from '../tables.ts'

/**
 * Invalidates the cached snapshots of a survey by incrementing its revision. Call it after a change of other rows that a
 * snapshot contains; an update of the survey entity increments the revision itself. Locks the row until the commit.
 */
export async function invalidateSurvey(em: EntityManager, id: number): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('survey')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
