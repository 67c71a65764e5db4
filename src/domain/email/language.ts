import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { byLanguage } from '../../lib/texts.ts'
import type { StructureLanguage } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { baseLanguage } from '../text/catalog.ts'

/** Texts of the service in emails to respondents. */
export interface MailWords {
  /** Footer with an unsubscribe link, for messages that do not contain one. */
  footer: string
  /** Label of the button that opens the survey. */
  button: string
  /** Prefix of the subject of a reminder. */
  reminder: string
  /** Default text of a reminder. */
  reminderText: string
}

/** Texts by language code. */
export const mailWords = byLanguage<MailWords>('invitations.json')

/**
 * Returns the texts for a language (`fr-CA` uses `fr`) and the language of these texts: English if there is no
 * translation.
 */
export function mailWordsFor(code: string): { language: string; words: MailWords } {
  const language = code.toLowerCase().split(/[-_]/, 1)[0]!
  return Object.hasOwn(mailWords, language)
    ? { language, words: mailWords[language]! }
    : { language: 'en', words: mailWords.en! }
}

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

/** The custom fields that can contain the language of a contact. The first one takes precedence. */
const LANGUAGE_FIELDS = ['language', 'lang'] as const

/** The language of the texts for one recipient. */
interface RecipientLanguage {
  language: string
  words: MailWords
  /**
   * The language in which the recipient reads the survey; undefined: a language of the recipient's browser.
   */
  surveyLanguage: string | undefined
}

/**
 * Returns the language for a contact: the language in its custom fields, or else the default language of the survey.
 * @param custom the custom fields of the contact
 */
export function recipientLanguage(custom: Readonly<Record<string, string>>, survey: MailLanguage): RecipientLanguage {
  const field = LANGUAGE_FIELDS.find((name) => Object.hasOwn(custom, name))
  const code = field ? custom[field]!.trim() : ''
  const base = baseLanguage(code)
  const texts = Object.hasOwn(mailWords, base)
    ? { language: base, words: mailWords[base]! }
    : { language: survey.language, words: survey.words }
  const surveyLanguage =
    survey.languages.find((one) => one.toLowerCase() === code.toLowerCase()) ??
    survey.languages.find((one) => code !== '' && baseLanguage(one) === base)
  return { ...texts, surveyLanguage }
}
