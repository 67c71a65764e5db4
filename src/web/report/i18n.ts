import type { LanguageText, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { renderPlaceholders, textIn } from '../../domain/structure/text.ts'

/** The texts of a survey in the language in which somebody reads a report. */
export interface Voice {
  (text: LanguageText): string
  readonly language: string
}

/** @param asked a language; absent, or one the survey does not have: the survey's default */
export function voiceFor(q: Questionnaire, asked: string | undefined): Voice {
  const language = q.languages.find(({ code }) => code === asked)?.code ?? q.defaultLanguage
  return Object.assign((text: LanguageText) => renderPlaceholders(textIn(text, language, q), { q, language }), {
    language,
  })
}
