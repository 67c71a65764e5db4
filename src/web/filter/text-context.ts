import type { LanguageText, Question, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { renderPlaceholders, textIn } from '../../domain/structure/text.ts'

/** The survey and the language in which its titles, labels and answers are shown. */
export interface TextContext {
  q: Questionnaire
  language: string
}

/** @param requested a language code; if it is absent or unknown, the survey's default language is used */
export const textContextOf = (q: Questionnaire, requested: string | undefined): TextContext => ({
  q,
  language: q.languages.find(({ code }) => code === requested)?.code ?? q.defaultLanguage,
})

/** Returns a text of the survey. Each placeholder is replaced with the title of its question in angle quotes. */
export const plainText = (text: LanguageText, context: TextContext): string =>
  renderPlaceholders(textIn(text, context.language, context.q), context).trim()

/** Returns the title of a question, or its ID if it has no title. */
export const titleOf = (question: Question, context: TextContext): string =>
  plainText(question.title, context) || question.id
