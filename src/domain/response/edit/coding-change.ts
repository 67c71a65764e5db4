import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'

/** Notes that the coding of a survey has changed. Call it in the transaction of the change, after its other writes. */
export async function noteChange(db: Kysely<Tables>, surveyId: number): Promise<void> {
  await db
    .insertInto('response_coding_state')
    .values({ survey_id: surveyId, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('survey_id').doUpdateSet((eb) => ({ revision: eb('response_coding_state.revision', '+', 1) })),
    )
    .execute()
}
