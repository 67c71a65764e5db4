import { csvField } from '../../../../lib/csv.ts'
import { plainNumber } from '../../../../lib/strings.ts'
import { isAnswered, isList } from '../../../structure/answered.ts'
import { codedChoices } from '../../../structure/choices.ts'
import { withFileAddresses } from '../../../structure/file-answer.ts'
import { isAutomatic } from '../../../structure/kinds.ts'
import type { MetaField } from '../../../structure/meta-fields.ts'
import type { Answer, Answers, Field, Question, Questionnaire } from '../../../structure/questionnaire.ts'
import { fromStored } from '../../../structure/stored.ts'
import { evaluationOf } from '../../../structure/visibility.ts'
import { cellFormat } from '../cell.ts'
import type { FileColumn, Lines, LinesPlan } from '../lines.ts'
import { integerAt, type MetaWriter, metaWriters } from '../meta-cell.ts'
import { MAX_NUMBER_BYTES, type Output, type Tuples } from '../output.ts'
import { isTick, type Variable, variablesOf } from './variables.ts'

const ANSWERS = 'answers'
const KEY_BYTES = 2 * 20

/** The answers of a response, and which of the questions with ticks it was asked. */
interface Row {
  answers: Answers
  asked: ReadonlySet<Question>
}

type Cell = (row: Row) => string

/**
 * Reads the values of variables from rows of `response`. An answer is parsed for this, unlike in other exports, because
 * the path of a response decides whether an empty cell was asked.
 */
export class StatisticsRows {
  /** Columns of `response` to select: those of `meta`, then the answers. */
  readonly fields: readonly string[]
  /** The metadata, then the answers. */
  readonly variables: readonly Variable[]
  readonly meta: readonly MetaField[]
  readonly #q: Questionnaire
  readonly #cells: readonly Cell[]
  readonly #tickQuestions: readonly Question[]
  /** Positions of the columns that decide which questions were asked. */
  readonly #completed: number
  readonly #pagepath: number
  readonly #answers: number

  constructor({ questionnaire: q, options, numbers, files }: LinesPlan) {
    this.#q = q
    this.variables = variablesOf(q, numbers, options)
    this.meta = this.variables.flatMap(({ source }) => ('meta' in source ? [source.meta] : []))
    this.fields = [...this.meta.map(({ column }) => column), ANSWERS]
    this.#cells = this.variables.flatMap(({ source }) =>
      'field' in source ? [cellOf(source.field, source.choice?.index, files)] : [],
    )
    this.#tickQuestions = [
      ...new Set(
        this.variables.flatMap(({ source }) =>
          'field' in source && isTick(source.field) ? [source.field.question] : [],
        ),
      ),
    ]
    this.#completed = this.fields.indexOf('completed')
    this.#pagepath = this.fields.indexOf('pagepath')
    this.#answers = this.fields.indexOf(ANSWERS)
  }

  /** Returns the values of the variables after the metadata. */
  answers({ start, end }: Tuples, bytes: Buffer): string[] {
    const text = bytes.toString('utf8', start[this.#answers]! + 1, end[this.#answers])
    const answers = fromStored(this.#q, JSON.parse(text) as Answers)
    const pagepath =
      start[this.#pagepath] === -1 ? '' : bytes.toString('utf8', start[this.#pagepath], end[this.#pagepath])
    const completed = integerAt(bytes, start[this.#completed]!, end[this.#completed]!)
    const asked = askedQuestions(this.#q, this.#tickQuestions, { answers, completed, pagepath })
    return this.#cells.map((cell) => cell({ answers, asked }))
  }
}

/**
 * Writes one line per response for statistics programs: legal names, codes of choices, 0 and 1 for ticks, and no line
 * break inside a cell.
 */
export class StatisticsLines implements Lines {
  readonly fields: readonly string[]
  readonly header: string
  readonly columns: readonly FileColumn[]
  /** The length of the longest cell of each variable in bytes, of the lines that were written. */
  readonly widths: number[]
  readonly #rows: StatisticsRows
  readonly #meta: readonly MetaWriter[]

  constructor(plan: LinesPlan) {
    const format = cellFormat(plan.options)
    this.#rows = new StatisticsRows(plan)
    const { variables, meta, fields } = this.#rows
    this.fields = fields
    this.header = `${variables.map(({ name }) => name).join(',')}\r\n`
    this.columns = variables.map(({ type, name }) => ({ kind: type === 'number' ? 'number' : 'text', key: name }))
    this.widths = variables.map(() => 0)
    this.#meta = meta.map((field) => writerOf(field, format))
  }

  write(tuples: Tuples, bytes: Buffer, length: number, out: Output): void {
    const { start, end } = tuples
    const cells = this.#rows.answers(tuples, bytes).map((cell, i) => this.#answerCell(cell, this.#meta.length + i))
    const line = Buffer.from(cells.join(','))
    // Each quote and each line break of a text can become two bytes.
    out.reserve(this.#meta.length * (MAX_NUMBER_BYTES + 4) + KEY_BYTES + 2 * length + line.length + 4)
    for (const [i, write] of this.#meta.entries()) {
      if (start[i] === -1) out.empty()
      else {
        write(bytes, start[i]!, end[i]!, out)
        this.widths[i] = Math.max(this.widths[i]!, widthOf(bytes, start[i]!, end[i]!))
      }
    }
    if (cells.length > 0) out.prepared(line)
    out.endLine()
  }

  #answerCell(cell: string, index: number): string {
    const line = oneLine(cell)
    this.widths[index] = Math.max(this.widths[index]!, Buffer.byteLength(line))
    return csvField(line, COMMA)
  }
}

/** Returns the length of a text whose line breaks are written with two characters. */
function widthOf(bytes: Buffer, start: number, end: number): number {
  let width = end - start
  for (let i = start; i < end; i += 1) if (bytes[i] === 0x0a || bytes[i] === 0x0d) width += 1
  return width
}

const COMMA = { separator: ',', quoteAll: false } as const

/** Replaces every line break, also those that only some programs know, with the two characters `\n`. */
const oneLine = (text: string): string => text.replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\\n')

const writerOf = ({ type }: MetaField, format: Parameters<(typeof metaWriters)['text']>[0]): MetaWriter => {
  if (type === 'key') return (bytes, start, end, out) => out.key(bytes, start, end, EMPTY, EMPTY)
  if (type === 'time') return writeTime
  return type === 'state' ? metaWriters.integer(format) : metaWriters[type](format)
}
const EMPTY = Buffer.alloc(0)

/** Without a format, a question accepts a date without a time, which no program reads as a time. */
const timeOf = (text: string, format: string): string =>
  format === 'datetime' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} 00:00:00` : text.replace('T', ' ')

/** SPSS reads no time with a `T` between date and time. */
const writeTime: MetaWriter = (bytes, start, end, out) => {
  const milliseconds = Math.floor(integerAt(bytes, start, end) / 1e6) * 1000 + Date.UTC(2000, 0)
  out.cell(new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' '))
}

/** Returns the function that writes a cell of a field, or of one of its choices. */
function cellOf(field: Field, index: number | undefined, files: string): Cell {
  const { key, question, type } = field
  const answerIn = ({ answers }: Row): Answer | undefined => (Object.hasOwn(answers, key) ? answers[key] : undefined)
  if (index !== undefined)
    return type === 'ranking'
      ? (row) => rankOf(answerIn(row), index)
      : (row) => tick(row.asked.has(question), indicesOf(answerIn(row)).includes(index))
  if (isTick(field) && !field.part) return (row) => tick(row.asked.has(question), answerIn(row) === true)
  if (type === 'file') {
    return (row) => {
      const answer = answerIn(row)
      return answer === undefined ? '' : withFileAddresses(String(answer), (file) => `${files}${file}/`)
    }
  }
  if (type === 'datetime') return (row) => timeOf(textOf(answerIn(row)), question.format ?? 'datetime')
  if (field.choices.length === 0) return (row) => textOf(answerIn(row))
  const codes = new Map(codedChoices(field).map((choice) => [choice.index, choice.code]))
  return (row) => {
    const answer = answerIn(row)
    const chosen = typeof answer === 'boolean' ? (answer ? 0 : 1) : answer
    return typeof chosen === 'number' ? (codes.get(chosen) ?? '') : textOf(answer)
  }
}

/** An answer is a number if it was stored when the question accepted only one choice. */
const indicesOf = (answer: Answer | undefined): readonly number[] =>
  answer === undefined ? [] : typeof answer === 'number' ? [answer] : isList(answer) ? answer : []

const tick = (asked: boolean, ticked: boolean): string => (ticked ? '1' : asked ? '0' : '')

function rankOf(answer: Answer | undefined, index: number): string {
  const rank = indicesOf(answer).indexOf(index)
  return rank === -1 ? '' : String(rank + 1)
}

/** A list was stored when the question had another type. It is written as it was stored. */
const textOf = (answer: Answer | undefined): string =>
  answer === undefined
    ? ''
    : typeof answer === 'number'
      ? plainNumber(answer)
      : isList(answer)
        ? JSON.stringify(answer)
        : String(answer)

/** What a response says about the pages that its respondent saw. */
interface Progress {
  answers: Answers
  completed: number
  /** The pages that the respondent completed, separated by commas; empty for a response of a program. */
  pagepath: string
}

/**
 * Returns the questions that a respondent was asked: those with an answer, and those on the path on a page that the
 * respondent completed. If no page is recorded, a complete response went the whole path, and any other went as far as its
 * last answer.
 * @param questions the questions to look at
 */
function askedQuestions(
  q: Questionnaire,
  questions: readonly Question[],
  { answers, completed, pagepath }: Progress,
): ReadonlySet<Question> {
  const isAnsweredQuestion = ({ fields }: Question) => fields.some(({ key }) => isAnswered(answers, key))
  const seen = pagepath === '' ? undefined : new Set(pagepath.split(',').map(Number))
  const lastPage = completed === 1 || seen ? q.pages.length : lastAnsweredPage(q, isAnsweredQuestion)
  const evaluation = evaluationOf(q, answers)
  const visible = new Map<number, ReadonlySet<Question>>()
  const isVisible = (question: Question): boolean => {
    const { page } = question
    if (seen ? !seen.has(page) : page > lastPage) return false
    const shown = visible.get(page) ?? new Set(evaluation.visibleQuestions(page))
    visible.set(page, shown)
    return shown.has(question)
  }
  return new Set(questions.filter((question) => isAnsweredQuestion(question) || isVisible(question)))
}

/** Returns the number of the last page with an answer of the respondent; 0 without any. */
const lastAnsweredPage = (q: Questionnaire, isAnsweredQuestion: (question: Question) => boolean): number =>
  q.questions.findLast((question) => !isAutomatic(question.kind) && isAnsweredQuestion(question))?.page ?? 0
