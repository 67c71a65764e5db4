import type { LanguageText, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { textIn } from '../../domain/structure/text.ts'

/** The texts of a survey in the language in which somebody reads a report. */
export type Voice = (text: LanguageText) => string

/** What an answer would be put into says nothing here: it differs from response to response. */
const PIPED = /\{\{[^{}]*\}\}/g

/** @param language absent, or one the survey does not have: the survey's default */
export const voiceFor =
  (q: Questionnaire, language: string | undefined): Voice =>
  (text) =>
    textIn(text, language || q.defaultLanguage, q).replace(PIPED, '…')
