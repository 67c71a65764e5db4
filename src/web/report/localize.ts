import type { LanguageText, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { plainText, textContextOf } from '../filter/fields.ts'

/** Returns a text of the survey in the language of the report. */
export interface Localize {
  (text: LanguageText): string
  readonly language: string
}

/** @param requested a language code; if it is absent or unknown, the survey's default language is used */
export function localizerFor(q: Questionnaire, requested: string | undefined): Localize {
  const context = textContextOf(q, requested)
  return Object.assign((text: LanguageText) => plainText(text, context), { language: context.language })
}
