import { answerTo, isAnswer, isList } from '../../../domain/structure/answered.ts'
import type { Answer, Answers, Field, Question, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { labelOf, textIn } from '../../../domain/structure/text.ts'

/** In which words answers are told. */
export interface Telling {
  q: Questionnaire
  language: string
}

/** One value in words; the text of an "other" choice behind its label. */
function valueText(field: Field, value: Answer, other: Answer | undefined, { q, language }: Telling): string {
  if (field.type === 'datetime') return String(value).replace('T', ' ')
  const label = labelOf(field, value, language, q)
  const isOther = typeof value === 'number' && field.choices[value]?.other
  return isOther && other !== undefined ? `${label}: ${other}` : label
}

/** The answer to a field in words, one text a choice; nothing where there is none. */
export function partsOfAnswer(field: Field, answers: Answers, telling: Telling): string[] {
  const value = answerTo(answers, field.key)
  if (!isAnswer(value)) return []
  const other = answerTo(answers, `${field.key}\\other`)
  return (isList(value) ? value : [value]).map((one) => valueText(field, one, other, telling))
}

/** The text typed at "other" without choosing it: stored, and told by itself. */
export function strayOther(question: Question, answers: Answers): string | undefined {
  const text = answerTo(answers, `${question.id}\\other`)
  const value = answerTo(answers, question.id)
  const chosen: readonly Answer[] = value === undefined ? [] : isList(value) ? value : [value]
  const isTold = chosen.some((one) => typeof one === 'number' && question.choices[one]?.other)
  return text === undefined || isTold ? undefined : String(text)
}

/** The rows of a grid that were answered, with their answers. */
export const rowsAnswered = (question: Question, answers: Answers, telling: Telling): [label: string, text: string][] =>
  question.fields.flatMap((field): [string, string][] => {
    const parts = field.row ? partsOfAnswer(field, answers, telling) : []
    return field.row && parts.length > 0
      ? [[textIn(field.row.label, telling.language, telling.q), parts.join(', ')]]
      : []
  })

/** The answer to a question in one line. */
export function answerLine(question: Question, answers: Answers, telling: Telling): string {
  if (question.rows.length > 0)
    return rowsAnswered(question, answers, telling)
      .map(([row, text]) => `${row} ${text}`)
      .join('; ')
  const field = question.fields.find(({ type }) => type !== 'other')
  const parts = field ? partsOfAnswer(field, answers, telling) : []
  const told = field?.type === 'ranking' ? parts.map((part, place) => `${place + 1}. ${part}`) : parts
  return [...told, strayOther(question, answers)].filter(Boolean).join(', ')
}

/** The title of a question, or its id where it has none. */
export const titleOf = (question: Question, { q, language }: Telling): string =>
  textIn(question.title, language, q).trim() || question.id

/** A text that stays within a number of characters. */
export const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .trimEnd()
        .toWellFormed()}…`
