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

/** The custom fields that contain the language of a contact. The first one takes precedence. */
const LANGUAGE_FIELDS = ['language', 'lang'] as const

/** Names of such fields in the address books of other languages, in lower case. */
const NAMES_OF_LANGUAGE = new Set([
  ...LANGUAGE_FIELDS,
  'sprache',
  'langue',
  'idioma',
  'lingua',
  'taal',
  'język',
  'dil',
  'мова',
  'язык',
  'اللغة',
  'لغة',
  'भाषा',
  '言語',
  '언어',
  '语言',
])

/** Returns whether a custom field contains the language of a contact. */
export const isLanguageField = (name: string): boolean => NAMES_OF_LANGUAGE.has(name.trim().toLowerCase())

/** The codes of the languages by their names in English, in German and in the language itself, in lower case. */
const codesByName = new Map(
  Object.keys(mailWords).flatMap((code) =>
    ['en', 'de', code].map((locale) => [
      new Intl.DisplayNames(locale, { type: 'language' }).of(code)!.toLowerCase(),
      code,
    ]),
  ),
)

/** Returns the code of the language in the custom fields of a contact, such as `fr` or `fr-CA`; empty if there is none. */
export function languageOfContact(custom: Readonly<Record<string, string>>): string {
  const field =
    LANGUAGE_FIELDS.find((name) => Object.hasOwn(custom, name)) ??
    Object.keys(custom).find((name) => isLanguageField(name))
  const value = field === undefined ? '' : custom[field]!.trim()
  return codesByName.get(value.toLowerCase()) ?? value.replaceAll('_', '-')
}

/** Returns the key of a record that is the language code or, if there is none, has the same base language. */
export const keyForLanguage = (codes: readonly string[], code: string): string | undefined =>
  codes.find((one) => one.toLowerCase() === code.toLowerCase()) ??
  codes.find((one) => code !== '' && baseLanguage(one) === baseLanguage(code))

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
  const code = languageOfContact(custom)
  const base = baseLanguage(code)
  const texts = Object.hasOwn(mailWords, base)
    ? { language: base, words: mailWords[base]! }
    : { language: survey.language, words: survey.words }
  return { ...texts, surveyLanguage: keyForLanguage(survey.languages, code) }
}
