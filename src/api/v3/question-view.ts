import type { Services } from '../../domain/services.ts'
import { isUploadedImage } from '../../domain/structure/choice-image.ts'
import type { Choice, LanguageText, Question, Questionnaire, Row } from '../../domain/structure/questionnaire.ts'
import { textIn } from '../../domain/structure/text.ts'
import type { Schemas } from './operation.ts'
import { questionUri } from './urls.ts'

/**
 * Formats texts of a survey: as language objects such as `{ en: 'Yes', de: 'Ja' }`, or as plain text in one language.
 */
export type TextFormat = (text: LanguageText) => Schemas['DisplayText']

export const textFormatOf = (language: string | undefined, q: Questionnaire): TextFormat =>
  language === undefined ? (text) => ({ ...text }) : (text) => textIn(text, language, q)

const choiceView = (
  { baseUrl }: Services,
  { index, label, score, other, image }: Choice,
  format: TextFormat,
): Schemas['Choice'] => ({
  index,
  label: format(label),
  score,
  other,
  ...(image && {
    image: { url: isUploadedImage(image.url) ? baseUrl + image.url : image.url, alt: format(image.alt) },
  }),
})

const rowView = ({ index, label, required }: Row, id: string, format: TextFormat): Schemas['Row'] => ({
  index,
  key: `${id}_${index}`,
  label: format(label),
  required,
})

export const questionView = (
  services: Services,
  surveyId: number,
  question: Question,
  format: TextFormat,
): Schemas['Question'] => ({
  id: question.id,
  identifier: question.identifier ?? null,
  type: question.idname,
  title: format(question.title),
  required: question.required,
  page: question.page,
  keys: question.fields.map(({ key }) => key),
  ...(question.choices.length > 0 && {
    choices: question.choices.map((choice) => choiceView(services, choice, format)),
  }),
  ...(question.rows.length > 0 && { rows: question.rows.map((row) => rowView(row, question.id, format)) }),
  question_uri: questionUri(services, surveyId, question.id),
})
