import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { StructureLanguage } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { type MailWords, mailWordsFor } from './i18n.ts'

/** The texts for emails of a survey, and the codes of its languages. */
export interface MailLanguage {
  language: string
  words: MailWords
  languages: readonly string[]
}

/**
 * Returns the texts for emails of a survey, in the default language of the survey. Reads only the languages of the
 * structure, because the whole structure can be large.
 */
export async function mailWordsOf({ em }: { em: EntityManager }, surveyId: number): Promise<MailLanguage> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select(sql<StructureLanguage[]>`structure -> 'languages'`.as('languages'))
    .where('id', '=', surveyId)
    .executeTakeFirst()
  const languages = row?.languages ?? []
  const words = mailWordsFor(languages.find(({ isDefault }) => isDefault)?.code ?? 'en')
  return { ...words, languages: languages.map(({ code }) => code) }
}
