import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tables } from '../tables.ts'

/**
 * Makes every cached copy of a survey out of date. To be called with each change that a snapshot shows (snapshot.ts)
 * but that does not touch the survey's own row, which counts its revisions by itself. Locks the row until the commit.
 */
export async function invalidateSurvey(em: EntityManager, id: number): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('survey')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
