import type { ValueError } from '../../domain/field-error.ts'
import type { Answers, LanguageText, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { pipe, textIn } from '../../domain/structure/text.ts'
import { html, type Part } from '../../lib/html.ts'
import { directionOf, fill, textsFor, translateError, type Words } from './locales.ts'

/** How a survey speaks to one respondent: its texts and ours, in their language, marked where they are in another. */
export interface Translator {
  language: string
  texts: Words
  /** A text of the survey with answers piped in, plain: for attributes and the title of the window. */
  plainText(text: LanguageText | undefined): string
  /** The same as markup that names its language where that is not the page's. */
  surveyText(text: LanguageText | undefined): Part
  /** One of our own words. */
  text(word: string, values?: Readonly<Record<string, string | number>>): Part
  /** What is wrong with an answer. */
  errorText(error: ValueError): Part
}

/** How much longer repeated answers may make a page, in characters; after that they are left out. */
const MAX_PIPED_CHARACTERS_PER_PAGE = 100_000

const spoken = (text: string, language: string, page: string): Part =>
  language === page ? text : html`<span lang="${language}" dir="${directionOf(language)}">${text}</span>`

/** The language that `textIn` finds a text in. */
function languageOf(text: LanguageText, language: string, q: Questionnaire): string {
  const base = language.split(/[-_]/, 1)[0]!
  if (text[language] || text[base]) return language
  return text[q.defaultLanguage] ? q.defaultLanguage : (Object.keys(text).find((code) => text[code]) ?? language)
}

/**
 * The i18n of a questionnaire in one of its languages.
 * @param answers what texts may repeat
 * @param invite fields of the invited contact, which they may repeat as well
 */
export function translatorFor(
  q: Questionnaire,
  language: string,
  answers: Answers,
  invite: Readonly<Record<string, string>> = {},
): Translator {
  const own = textsFor(language)
  const context = { q, answers, language, invite, filled: new Map<string, string>() }
  let left = MAX_PIPED_CHARACTERS_PER_PAGE
  const plain = (text: LanguageText = {}) => {
    const written = textIn(text, language, q)
    const said = pipe(written, left > 0 ? context : { ...context, answers: {}, invite: {}, filled: new Map() })
    left -= Math.max(0, said.length - written.length)
    return said
  }
  return {
    language,
    texts: own.words,
    plainText: plain,
    surveyText: (text = {}) => spoken(plain(text), languageOf(text, language, q), language),
    text: (word, values = {}) => spoken(fill(word, values), own.spoken, language),
    errorText: (error) => {
      const { text, translated } = translateError(error, own.words)
      return translated ? spoken(text, own.spoken, language) : text
    },
  }
}

/** The language of a page: the one asked for, else the response's, else what the browser prefers, else the survey's own. */
export function languageFor(
  { languages, defaultLanguage }: Questionnaire,
  asked: string | undefined,
  stored: string | undefined,
  preferred: (codes: string[]) => string | false,
): string {
  const codes = languages.map(({ code }) => code)
  const known = (code: string | undefined) => codes.find((one) => one.toLowerCase() === code?.toLowerCase())
  const others = codes.filter((code) => code !== defaultLanguage)
  return known(asked) ?? known(stored) ?? (preferred([defaultLanguage, ...others]) || defaultLanguage)
}
