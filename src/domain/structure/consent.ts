import { createHash } from 'node:crypto'
import { answerTo } from './answered.ts'
import type { Answer, Answers, Question, Questionnaire } from './questionnaire.ts'
import { textIn } from './text.ts'

/** The texts of a consent in a language. */
interface ConsentText {
  /** Identifies the texts and their version when a form is submitted. */
  digest: string
  language: string
  text: string
}

const textsCache = new WeakMap<Question, readonly ConsentText[]>()

/** Returns the texts of a consent in each language of the survey. The default language comes first. */
function consentTexts(question: Question, q: Questionnaire): readonly ConsentText[] {
  const cached = textsCache.get(question)
  if (cached) return cached
  const { title, description, statement = {}, version } = question
  const codes = new Set([q.defaultLanguage, ...q.languages.map(({ code }) => code)])
  const texts = [...codes].map((language) => {
    const text = [title, description, statement]
      .map((one) => textIn(one, language, q).trim())
      .filter(Boolean)
      .join('\n\n')
    const digest = createHash('sha256')
      .update(JSON.stringify([version, text]))
      .digest('base64url')
      .slice(0, 16)
    return { digest: `c-${digest}`, language, text }
  })
  textsCache.set(question, texts)
  return texts
}

/** Returns the value that a form submits if the respondent agrees to the texts of a consent in a language. */
export const consentValue = (question: Question, q: Questionnaire, language: string): string =>
  (consentTexts(question, q).find((one) => one.language === language) ?? consentTexts(question, q)[0]!).digest

/** Reports whether a value comes from the checkbox of a consent. The texts may have changed since it was shown. */
export const isConsentValue = (value: unknown): value is string =>
  typeof value === 'string' && /^c-[\w-]{16}$/.test(value)

/**
 * Returns the texts to which a respondent agreed.
 * @param value the submitted value of the checkbox
 * @returns undefined if the texts were changed after the respondent opened the page
 */
export const agreedText = (question: Question, q: Questionnaire, value: string): string | undefined =>
  consentTexts(question, q).find(({ digest }) => digest === value)?.text

/** Returns the answers that are stored with a consent: its version and text, unless they are empty. */
export function consentAnswers(question: Question, q: Questionnaire, agreed?: string): Record<string, Answer> {
  const { version } = question
  const text = agreed ?? consentTexts(question, q)[0]!.text
  return {
    ...(version && { [`${question.id}\\version`]: version }),
    ...(text && { [`${question.id}\\text`]: text }),
  }
}

/** Reports whether answers contain a consent to the present texts of a question, in any language. */
export const hasConsented = (question: Question, q: Questionnaire, answers: Answers): boolean =>
  answerTo(answers, question.id) === true &&
  answerTo(answers, `${question.id}\\version`) === question.version &&
  consentTexts(question, q).some(({ text }) => text === (answerTo(answers, `${question.id}\\text`) ?? ''))
