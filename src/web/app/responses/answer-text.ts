import { answerFields, answerTo, isAnswer, isList } from '../../../domain/structure/answered.ts'
import { fileKeysOf } from '../../../domain/structure/file-answer.ts'
import type { Answer, Answers, Field, Question } from '../../../domain/structure/questionnaire.ts'
import { labelOf, pipe, renderPlaceholders, textIn } from '../../../domain/structure/text.ts'
import { hasNotation, writeValue } from '../../../domain/structure/write-answer.ts'
import type { TextContext } from '../../filter/text-context.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { pluralize } from '../../layout/format.ts'

/** Returns one value of an answer as text. For a choice "other", the text includes what the respondent typed. */
function valueText(field: Field, value: Answer, other: Answer | undefined, context: TextContext): string {
  if (hasNotation(field, value)) return writeValue(field, value, pageLanguage())
  if (field.type === 'file' && fileKeysOf(value).length > 0) return pluralize(fileKeysOf(value).length, 'file')
  if (typeof value === 'string') return value
  const label = renderPlaceholders(labelOf(field, value, context.language, context.q), context)
  const isOther = typeof value === 'number' && field.choices[value]?.other
  return isOther && other !== undefined ? `${label}: ${other}` : label
}

/**
 * Returns the answer to a field as a list of texts, with one text for each selected choice. An answer that is not a
 * list of choices is one text. If there is no answer, the list is empty.
 */
export function answerTexts(field: Field, answers: Answers, context: TextContext): string[] {
  const value = answerTo(answers, field.key)
  if (!isAnswer(value)) return []
  const other = answerTo(answers, `${field.key}\\other`)
  return (isList(value) ? value : [value]).map((one) => valueText(field, one, other, context))
}

/**
 * Returns the text that the respondent typed for the choice "other" if that choice is not selected. If it is selected,
 * {@link answerTexts} includes the text.
 */
export function orphanedOtherText(question: Question, answers: Answers): string | undefined {
  const text = answerTo(answers, `${question.id}\\other`)
  const value = answerTo(answers, question.id)
  const selected: readonly Answer[] = value === undefined ? [] : isList(value) ? value : [value]
  const isShown = selected.some((one) => typeof one === 'number' && question.choices[one]?.other)
  return text === undefined || isShown ? undefined : String(text)
}

/** Returns the answered rows of a grid with their answers. */
export const answeredRows = (
  question: Question,
  answers: Answers,
  context: TextContext,
): [label: string, text: string][] =>
  question.fields.flatMap((field): [string, string][] => {
    const texts = field.row ? answerTexts(field, answers, context) : []
    return field.row && texts.length > 0
      ? [[pipe(textIn(field.row.label, context.language, context.q), { ...context, answers }), texts.join(', ')]]
      : []
  })

/** Returns the answer to a question on one line. */
export function answerLine(question: Question, answers: Answers, context: TextContext): string {
  if (question.rows.length > 0)
    return answeredRows(question, answers, context)
      .map(([row, text]) => `${row} ${text}`)
      .join('; ')
  const [field] = answerFields(question)
  const texts = field ? answerTexts(field, answers, context) : []
  const ranked = field?.type === 'ranking' ? texts.map((text, index) => `${index + 1}. ${text}`) : texts
  const image = question.fields.find(({ part }) => part === 'image')
  const images = image ? answerTexts(image, answers, context) : []
  return [...ranked, ...images, orphanedOtherText(question, answers)].filter(Boolean).join(', ')
}

/** Shortens a text to a number of characters. */
export const truncate = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .trimEnd()
        .toWellFormed()}…`
