import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import {
  type Classes,
  countedRemoved,
  type Predicate,
  type PredicateClasses,
  valuePredicate,
} from '../response/filter/predicate.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import { countPairs, type PairCount } from '../rollup/pairs.ts'
import type { Choice, Field, Questionnaire, RemovedChoice } from '../structure/questionnaire.ts'
import { targetOf } from '../structure/target.ts'
import { findSnapshot } from '../survey/queries.ts'
import { remember } from '../survey/remembered.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import { weightingIn } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { type Bin, numberBins, numericKeys } from './histogram.ts'
import { type ReportFilter, reportFilters } from './queries.ts'
import { percentage, type WeightedBase } from './question-stats.ts'
import {
  type ChiSquare,
  chiSquare,
  combineMoments,
  lowerProportions,
  type MeanSummary,
  type Moments,
  meanSummary,
  momentsOf,
} from './significance.ts'

/** A class of answers: a choice, a choice that is no longer offered, an interval of numbers, or a collector. */
export type AnswerClass =
  | { choice: Choice }
  | { removed: RemovedChoice }
  | { bin: Bin; integersOnly: boolean }
  | { collector: { id: number; name: string } }

/** A question of a cross-table with the classes of its answers. */
export interface CrossedQuestion {
  /** Undefined: the collectors of the responses in place of answers. */
  field: Field | undefined
  classes: readonly AnswerClass[]
  /** Whether a response can belong to several classes, so that their percentages can add up to more than 100. */
  multiple: boolean
}

export interface CrossTableColumn {
  class: AnswerClass
  weighted?: WeightedBase
  /** Responses of the column: the base of its percentages. */
  n: number
  /** Mean of the row question in this column; only if its answers are numbers or single choices. */
  mean?: MeanSummary
}

export interface CrossTableRow {
  class: AnswerClass
  weighted?: WeightedBase
  /** Responses of the row: the base of its row percentages. */
  n: number
  cells: readonly CrossTableCell[]
}

export interface CrossTableCell {
  count: number
  /** The sum of the weights. */
  weighted?: number
  /** Columns, by position, in which the share of the row is significantly lower. */
  lower: readonly number[]
}

/** Counts of responses by their answers to two questions. */
export interface CrossTable {
  questionnaire: Questionnaire
  rowQuestion: CrossedQuestion
  columnQuestion: CrossedQuestion
  /** Responses that pass the filters and answer both questions. */
  n: number
  weighted?: WeightedBase
  columns: readonly CrossTableColumn[]
  rows: readonly CrossTableRow[]
  /** Mean of the row question over all columns. */
  mean?: MeanSummary
  /** Undefined if a question accepts several choices, or if the table has fewer than two rows or columns. */
  chiSquare?: ChiSquare | undefined
}

/** Maximum numbers of columns and of cells. Removed choices with answers are added to them. */
const MAX_COLUMNS = 50
const MAX_CELLS = 2_500
const MAX_REMOVED = 20

/**
 * Counts the responses of a survey by their answers to two questions.
 * @param names the ID, the response key or the identifier of each question, or {@link COLLECTOR}; a row of a grid has its
 *   own key
 * @param options `weighted`: shares, means and tests are those of the weighted responses
 * @throws {Problem} `survey_not_found`, `weighting_not_found`; `invalid_request` naming `rows`, `columns` or a filter
 */
export async function showCrossTable(
  context: Context,
  surveyId: number,
  names: { rows: string; columns: string },
  report: ReportFilter,
  request: ResponseSearch,
  { weighted = false } = {},
): Promise<CrossTable> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  const { questionnaire } = snapshot
  const [rowField, columnField] = (['rows', 'columns'] as const).map((axis) =>
    names[axis] === COLLECTOR ? undefined : countableField(questionnaire, names[axis], axis),
  ) as [Field | undefined, Field | undefined]
  const filters = await reportFilters(context, snapshot, report, request)
  const db = context.em.getKysely<Tables>()
  const axis = async (field: Field | undefined) =>
    !field
      ? collectorAxis(snapshot)
      : field.choices.length > 0
        ? axisOf(db, surveyId, filters, field)
        : remember(context, snapshot, ['axis', filters, field.key], () => axisOf(db, surveyId, filters, field))
  const [rows, columns] = [await axis(rowField), await axis(columnField)]
  const size = { rows: rows.question.classes.length, columns: columns.question.classes.length }
  const presentColumns = size.columns - removedOf(columnField).length
  if (presentColumns > MAX_COLUMNS) throw problems.invalidField('columns', 'limit_reached', { max: MAX_COLUMNS })
  const maxRows = Math.floor(MAX_CELLS / Math.max(1, presentColumns))
  if (size.rows - removedOf(rowField).length > maxRows)
    throw problems.invalidField('rows', 'limit_reached', { max: maxRows })
  const valueKey = rowField?.choices.length === 0 ? rowField.storedKey : undefined
  const weighting = weighted ? weightingIn(snapshot) : undefined
  const count = () =>
    countPairs(db, surveyId, filters, { rows: rows.classes, columns: columns.classes, valueKey, weighting })
  const pairs = await remember(context, snapshot, ['pairs', filters, rows.classes, columns.classes, weighted], count)
  return { questionnaire, ...tabulate(rows.question, columns.question, pairs) }
}

/** Returns whether a cross-table can count the answers to a field: it has choices, but no ranking, or numbers. */
export const canBeCrossed = (field: Field): boolean =>
  COUNTED.has(field.type) || numericKeys(field.question).includes(field.key)

const COUNTED: ReadonlySet<Field['type']> = new Set(['single', 'multi', 'boolean', 'number'])

/**
 * Returns the field with a name.
 * @throws {Problem} `invalid_request` naming the parameter, for an unknown field and for one that cannot be counted
 */
export function countableField(q: Questionnaire, name: string, parameter: string): Field {
  const target = targetOf(q, name)
  if (!target || target.choice !== undefined)
    throw problems.invalidField(parameter, 'unknown_question', { value: name.slice(0, 60).toWellFormed() })
  if (!target.field || !canBeCrossed(target.field)) throw problems.invalidField(parameter, 'not_countable')
  return target.field
}

/** The name of the collectors as rows or columns. */
export const COLLECTOR = '_collector'

interface Axis {
  question: CrossedQuestion
  classes: Classes
}

const removedOf = (field: Field | undefined): readonly RemovedChoice[] =>
  !field || field.type === 'boolean' ? [] : countedRemoved(field).slice(-MAX_REMOVED)

function collectorAxis({ collectors }: SurveySnapshot): Axis {
  const all = [...collectors.values()]
  return {
    question: { field: undefined, multiple: false, classes: all.map(({ id, name }) => ({ collector: { id, name } })) },
    classes: { collectors: all.map(({ id }) => id) },
  }
}

async function axisOf(db: Kysely<Tables>, surveyId: number, filters: readonly Filter[], field: Field): Promise<Axis> {
  if (field.choices.length === 0) {
    const { bins, integersOnly } = await numberBins(db, surveyId, filters, field.storedKey)
    const bounds = bins.slice(1).map(({ from }) => from)
    return {
      question: { field, classes: bins.map((bin) => ({ bin, integersOnly })), multiple: false },
      classes: { key: field.storedKey, bounds },
    }
  }
  const removed = removedOf(field)
  return {
    question: {
      field,
      multiple: field.type === 'multi',
      classes: [...field.choices.map((choice) => ({ choice })), ...removed.map((one) => ({ removed: one }))],
    },
    classes: choiceClasses(field),
  }
}

/**
 * Returns the classes of the answers to a field with choices: the choices, then the removed choices. The last class of a
 * multiple choice has every response with an answer, which is the base of its percentages.
 */
export function choiceClasses(field: Field): PredicateClasses {
  const multiple = field.type === 'multi'
  const { storedKey: key } = field
  const predicates = [...field.choices, ...removedOf(field)].map(
    ({ uid }): Predicate => (multiple ? { kind: 'chosen', key, index: uid } : valuePredicate(field, uid)),
  )
  return {
    predicates: multiple ? [...predicates, { kind: 'answered', keys: [key] }] : predicates,
    exclusive: !multiple,
  }
}

/**
 * Computes a table from its counts. Removed choices without answers are left out. With weights, tests and intervals use
 * the effective number of responses in place of their number.
 */
export function tabulate(
  rowQuestion: CrossedQuestion,
  columnQuestion: CrossedQuestion,
  pairs: readonly PairCount[],
): Omit<CrossTable, 'questionnaire'> {
  const byPair = new Map(pairs.map((pair) => [pairName(pair.row, pair.column), pair]))
  const isWeighted = pairs.some(({ weight }) => weight !== undefined)
  const rowsOf = totalClasses(rowQuestion)
  const columnsOf = totalClasses(columnQuestion)
  const sumOver = (rows: readonly number[], columns: readonly number[], of: (pair: PairCount) => number) =>
    rows.reduce(
      (sum, row) =>
        sum +
        columns.reduce((part, column) => {
          const pair = byPair.get(pairName(row, column))
          return pair ? part + of(pair) : part
        }, 0),
      0,
    )
  const baseOf = (rows: readonly number[], columns: readonly number[]) => {
    const n = sumOver(rows, columns, ({ count }) => count)
    if (!isWeighted) return { n, sum: n, effective: n }
    const sum = sumOver(rows, columns, weightIn)
    const squares = sumOver(rows, columns, ({ squares = 0 }) => squares)
    const effectiveN = squares === 0 ? 0 : (sum * sum) / squares
    return { n, sum, effective: effectiveN, weighted: { n: sum, effectiveN } }
  }
  const shownRows = shown(rowQuestion, (row) => sumOver([row], columnsOf, ({ count }) => count))
  const shownColumns = shown(columnQuestion, (column) => sumOver(rowsOf, [column], ({ count }) => count))
  const bases = shownColumns.map((column) => baseOf(rowsOf, [column]))
  const all = baseOf(rowsOf, columnsOf)
  const sums = shownRows.map((row) => shownColumns.map((column) => sumOver([row], [column], weightIn)))
  /** Returns a sum of weights as a number of responses that is as exact. */
  const effectiveIn = (sum: number, base: { sum: number; effective: number }) =>
    base.sum === 0 ? 0 : (sum * base.effective) / base.sum
  const momentsOver = (columns: readonly number[], base: { sum: number; effective: number }): Moments => {
    const { n, mean, squares } = combineMoments(columns.map((column) => momentsIn(rowQuestion, column, byPair)))
    return { n: effectiveIn(n, base), mean, squares: effectiveIn(squares, base) }
  }
  const meanOver = (columns: readonly number[], base: typeof all) =>
    rowQuestion.multiple || !rowQuestion.field ? {} : { mean: meanSummary(momentsOver(columns, base)) }
  const overlaps = rowQuestion.multiple || columnQuestion.multiple
  return {
    rowQuestion: { ...rowQuestion, classes: shownRows.map((row) => rowQuestion.classes[row]!) },
    columnQuestion: { ...columnQuestion, classes: shownColumns.map((column) => columnQuestion.classes[column]!) },
    n: all.n,
    ...(all.weighted && { weighted: all.weighted }),
    columns: shownColumns.map((column, index) => {
      const { n, weighted } = bases[index]!
      return {
        class: columnQuestion.classes[column]!,
        ...{ n, ...(weighted && { weighted }), ...meanOver([column], bases[index]!) },
      }
    }),
    rows: shownRows.map((row, index) => {
      // A response can be in several columns of a multiple choice, so that its columns are no separate samples.
      const lower = columnQuestion.multiple
        ? []
        : lowerProportions(
            sums[index]!.map((sum, column) => effectiveIn(sum, bases[column]!)),
            bases.map(({ effective }) => effective),
          )
      const { n, weighted } = baseOf([row], columnsOf)
      return {
        class: rowQuestion.classes[row]!,
        n,
        ...(weighted && { weighted }),
        cells: shownColumns.map((column, at) => ({
          count: sumOver([row], [column], ({ count }) => count),
          ...(isWeighted && { weighted: sums[index]![at]! }),
          lower: lower[at] ?? [],
        })),
      }
    }),
    ...meanOver(columnsOf, all),
    ...(!overlaps && { chiSquare: chiSquare(sums.map((row) => row.map((sum) => effectiveIn(sum, all)))) }),
  }
}

/** Returns the percentage of a cell in its row or column, with weights if the table has them. */
export const shareOf = ({ count, weighted }: CrossTableCell, base: Pick<CrossTableColumn, 'n' | 'weighted'>): number =>
  percentage(weighted ?? count, weighted === undefined ? base.n : (base.weighted?.n ?? 0))

const weightIn = ({ weight, count }: PairCount): number => weight ?? count

const pairName = (row: number, column: number) => `${row} ${column}`

/** Returns the classes whose counts add up to all responses with an answer. */
const totalClasses = ({ classes, multiple }: CrossedQuestion): number[] =>
  multiple ? [classes.length] : classes.map((_, index) => index)

const shown = ({ classes }: CrossedQuestion, base: (index: number) => number): number[] =>
  classes.flatMap((one, index) => ('removed' in one && base(index) === 0 ? [] : [index]))

/** Returns the moments of the scores or numbers of a column. Their `n` is the sum of the weights. */
function momentsIn({ classes }: CrossedQuestion, column: number, byPair: ReadonlyMap<string, PairCount>): Moments {
  return combineMoments(
    classes.map((one, row): Moments => {
      const pair = byPair.get(pairName(row, column))
      if (!pair) return { n: 0, mean: 0, squares: 0 }
      const n = weightIn(pair)
      if ('choice' in one) return momentsOf([[one.choice.score, n]])
      if ('removed' in one || 'collector' in one) return { n: 0, mean: 0, squares: 0 }
      return { n, mean: pair.mean ?? 0, squares: (pair.variance ?? 0) * n }
    }),
  )
}
