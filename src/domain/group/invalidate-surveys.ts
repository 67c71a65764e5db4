import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tables } from '../tables.ts'

/**
 * Invalidates the cached snapshots of all surveys shared with a group (survey/snapshot.ts), because they contain the
 * roles of members. Locks the rows of the surveys in order of their ids until the commit.
 */
export async function invalidateGroupSurveys(em: EntityManager, groupId: number): Promise<void> {
  const db = em.getKysely<Tables>()
  const ids = db.selectFrom('survey_group').select('survey_id').where('group_id', '=', groupId)
  const locked = db.selectFrom('survey').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate()
  await db
    .with('shared', () => locked)
    .updateTable('survey')
    .from('shared')
    .whereRef('survey.id', '=', 'shared.id')
    .set((eb) => ({ revision: eb('survey.revision', '+', 1) }))
    .execute()
}
