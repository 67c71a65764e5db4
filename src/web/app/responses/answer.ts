import { answerTo, isAnswer, isList } from '../../../domain/structure/answered.ts'
import type {
  Answer,
  Answers,
  Field,
  LanguageText,
  Question,
  Questionnaire,
} from '../../../domain/structure/questionnaire.ts'
import { labelOf, pipe, renderPlaceholders, textIn } from '../../../domain/structure/text.ts'

/** In which words answers are told. */
export interface Telling {
  q: Questionnaire
  language: string
}

/** One value in words; the text of an "other" choice behind its label. */
function valueText(field: Field, value: Answer, other: Answer | undefined, telling: Telling): string {
  if (field.type === 'datetime') return String(value).replace('T', ' ')
  if (typeof value === 'string') return value
  const label = renderPlaceholders(labelOf(field, value, telling.language, telling.q), telling)
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
export function orphanedOtherText(question: Question, answers: Answers): string | undefined {
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
      ? [[pipe(textIn(field.row.label, telling.language, telling.q), { ...telling, answers }), parts.join(', ')]]
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
  return [...told, orphanedOtherText(question, answers)].filter(Boolean).join(', ')
}

/** The title of a question, or its id where it has none. What it repeats of other answers is named: it differs by response. */
export const titleOf = (question: Question, telling: Telling): string => wordsOf(question.title, telling) || question.id

/** A text of the survey, outside any response. */
export const wordsOf = (text: LanguageText, telling: Telling): string =>
  renderPlaceholders(textIn(text, telling.language, telling.q), telling).trim()

/** A text that stays within a number of characters. */
export const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .trimEnd()
        .toWellFormed()}…`
