import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { StructureLanguage } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { type MailWords, mailWordsFor } from './i18n.ts'

/**
 * Returns the texts for emails of a survey, in the default language of the survey. Reads only the languages of the
 * structure, which may be large.
 */
export async function mailWordsOf(
  { em }: { em: EntityManager },
  surveyId: number,
): Promise<{ language: string; words: MailWords }> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select(sql<StructureLanguage[]>`structure -> 'languages'`.as('languages'))
    .where('id', '=', surveyId)
    .executeTakeFirst()
  return mailWordsFor(row?.languages.find(({ isDefault }) => isDefault)?.code ?? 'en')
}
