import { isAutomatic } from '../../../../questions/index.ts'
import { isAnswered } from '../../../structure/answered.ts'
import type { VariableMeta } from '../../../structure/meta-fields.ts'
import type { Answers, Question, Questionnaire } from '../../../structure/questionnaire.ts'
import { fromStored } from '../../../structure/stored.ts'
import { evaluationOf } from '../../../structure/visibility.ts'
import type { LinesPlan } from '../file.ts'
import type { Tuples } from '../output.ts'
import { integerAt } from '../output.ts'
import { type CellSink, StatisticsCells } from './answer-cells.ts'
import { type Variable, variablesOf } from './variables.ts'

const ANSWERS = 'answers'

/**
 * Reads the values of variables from rows of `response`. The path of a response decides whether an empty cell was asked.
 * The answers are parsed only if conditions decide the path.
 */
export class StatisticsRows {
  /** Columns of `response` to select: those of `meta`, then the answers. */
  readonly fields: readonly string[]
  /** The metadata, then the answers. */
  readonly variables: readonly Variable[]
  readonly meta: readonly VariableMeta[]
  readonly #q: Questionnaire
  readonly #cells: StatisticsCells
  readonly #isConditional: boolean
  /** Positions of the columns that decide which questions were asked. */
  readonly #completed: number
  readonly #pagepath: number
  /** The pages of the last row, by their text. */
  #pages: { text: string; seen: ReadonlySet<number> } = { text: '', seen: new Set() }

  constructor({ questionnaire: q, options, numbers, files }: LinesPlan) {
    this.#q = q
    this.variables = variablesOf(q, numbers, options)
    this.meta = this.variables.flatMap(({ source }) => ('meta' in source ? [source.meta] : []))
    this.fields = [...this.meta.map(({ column }) => column), ANSWERS]
    this.#cells = new StatisticsCells(this.variables, files)
    this.#isConditional = q.pages.some(
      ({ condition, skips, questions }) =>
        condition || skips.length > 0 || questions.some((one) => one.condition || one.choiceFilter),
    )
    this.#completed = this.fields.indexOf('completed')
    this.#pagepath = this.fields.indexOf('pagepath')
  }

  /** Passes the values of the variables after the metadata to a sink. */
  answers({ start, end }: Tuples, bytes: Buffer, sink: CellSink): void {
    const column = this.meta.length
    let path: Path | undefined
    const asked = (question: Question): boolean => {
      if (this.#cells.isAnswered(question, bytes)) return true
      path ??= this.#pathOf({
        completed: integerAt(bytes, start[this.#completed]!, end[this.#completed]!),
        pagepath:
          start[this.#pagepath] === -1 ? '' : bytes.toString('latin1', start[this.#pagepath], end[this.#pagepath]),
        answers: () => fromStored(this.#q, JSON.parse(bytes.toString('utf8', start[column]! + 1, end[column]))),
      })
      return path(question)
    }
    this.#cells.write(bytes, start[column]! + 1, sink, asked)
  }

  /**
   * Returns whether a question without an answer was asked: if it is on the path, on a page that the respondent completed.
   * If no page is recorded, a complete response went the whole path, and any other went as far as its last answer.
   */
  #pathOf({ completed, pagepath, answers: parse }: Progress): Path {
    const q = this.#q
    if (pagepath !== this.#pages.text) this.#pages = { text: pagepath, seen: new Set(pagepath.split(',').map(Number)) }
    const seen = pagepath === '' ? undefined : this.#pages.seen
    const isWhole = completed === 1 || seen !== undefined
    const answers = isWhole && !this.#isConditional ? undefined : parse()
    const lastPage = isWhole ? q.pages.length : lastAnsweredPage(q, answers!)
    return (question) => {
      const { page } = question
      if (seen ? !seen.has(page) : page > lastPage) return false
      return !this.#isConditional || evaluationOf(q, answers!).visibleQuestions(page).includes(question)
    }
  }
}

type Path = (question: Question) => boolean

/** What a response says about the pages that its respondent saw. */
interface Progress {
  answers(): Answers
  completed: number
  /** The pages that the respondent completed, separated by commas; empty for a response of a program. */
  pagepath: string
}

/** Returns the number of the last page with an answer of the respondent; 0 without any. */
const lastAnsweredPage = (q: Questionnaire, answers: Answers): number =>
  q.questions.findLast(({ kind, fields }) => !isAutomatic(kind) && fields.some(({ key }) => isAnswered(answers, key)))
    ?.page ?? 0
