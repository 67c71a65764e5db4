import { baseLanguage } from '../text/catalog.ts'
import { type MailWords, mailWords } from './i18n.ts'
import type { MailLanguage } from './language.ts'

/** The custom fields that can contain the language of a contact. The first one takes precedence. */
const LANGUAGE_FIELDS = ['language', 'lang'] as const

/** The language of the texts for one recipient. */
export interface RecipientLanguage {
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
