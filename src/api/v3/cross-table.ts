import {
  type AnswerClass,
  COLLECTOR,
  type CrossedQuestion,
  type CrossTable,
  shareOf,
  showCrossTable,
} from '../../domain/report/cross-table.ts'
import { round, type WeightedBase } from '../../domain/report/question-stats.ts'
import { DEFAULT_DESIGN } from '../../domain/report/report.ts'
import { type ChiSquare, columnLetter, type MeanSummary } from '../../domain/report/significance.ts'
import type { Services } from '../../domain/services.ts'
import { metaLabel } from '../../domain/structure/meta-fields.ts'
import type { Field, LanguageText, Questionnaire } from '../../domain/structure/questionnaire.ts'
import type { Operation, Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'
import { type TextFormat, textFormatOf } from './views.ts'

/** Query parameters of a cross-table. All other parameters are filters (docs/specification.md 7.7). */
const PARAMETERS: ReadonlySet<string> = new Set(['rows', 'columns', 'weighted', 'language', 'filter'])

export const getCrossTable: Operation<'getCrossTable'> = async ({ context, path, query, search }) => {
  const { rows, columns, weighted = false, language, filter } = query
  const request = { search, mode: 'strict', parameters: PARAMETERS, filter } as const
  const names = { rows, columns }
  const table = await showCrossTable(context, path.survey_id, names, DEFAULT_DESIGN, request, { weighted })
  return { status: 200, body: crossTableView(context.services, path.survey_id, table, language) }
}

function crossTableView(
  services: Services,
  surveyId: number,
  { questionnaire, rowQuestion, columnQuestion, n, weighted, columns, rows, mean, chiSquare }: CrossTable,
  language: string | undefined,
): Schemas['CrossTable'] {
  const format = textFormatOf(language, questionnaire)
  return {
    survey_uri: surveyUri(services, surveyId),
    n,
    ...weightedView(weighted),
    row_question: axisView(rowQuestion, questionnaire, format),
    column_question: axisView(columnQuestion, questionnaire, format),
    columns: columns.map((column, index) => ({
      letter: columnLetter(index),
      ...classView(column.class, questionnaire, format),
      n: column.n,
      ...weightedView(column.weighted),
      ...(column.mean && meanView(column.mean)),
    })),
    rows: rows.map((row) => ({
      ...classView(row.class, questionnaire, format),
      n: row.n,
      ...weightedView(row.weighted),
      cells: row.cells.map(({ count, weighted: weight, lower }, index) => ({
        count,
        ...weightedCount(weight),
        row_percentage: shareOf(row.cells[index]!, row),
        column_percentage: shareOf(row.cells[index]!, columns[index]!),
        higher_than: lower.map(columnLetter),
      })),
    })),
    ...(mean && meanView(mean)),
    chi_square: chiSquare ? chiSquareView(chiSquare) : null,
  }
}

/** Returns a text of the service or of the owner, which has no languages, as a text of the survey. */
const singleText = (text: string, { defaultLanguage }: Questionnaire): LanguageText => ({ [defaultLanguage]: text })

const axisView = (
  { field, multiple }: CrossedQuestion,
  q: Questionnaire,
  format: TextFormat,
): Schemas['CrossedQuestion'] =>
  field
    ? questionView({ field, multiple }, format)
    : {
        ...{ id: COLLECTOR, key: COLLECTOR, identifier: null, type: 'collector', multiple },
        title: format(singleText(metaLabel(COLLECTOR), q)),
      }

export const questionView = (
  { field: { question, key, row }, multiple }: { field: Field; multiple: boolean },
  format: TextFormat,
): Schemas['CrossedQuestion'] => ({
  id: question.id,
  key,
  identifier: question.identifier ?? null,
  type: question.idname,
  title: format(question.title),
  ...(row && { row_label: format(row.label) }),
  multiple,
})

function classView(one: AnswerClass, q: Questionnaire, format: TextFormat) {
  if ('collector' in one) return { collector_id: one.collector.id, label: format(singleText(one.collector.name, q)) }
  if ('choice' in one) return { index: one.choice.index, label: format(one.choice.label) }
  if ('removed' in one) return { label: format(one.removed.label) }
  const { from, below } = one.bin
  return { from, ...(Number.isFinite(below) && { below }) }
}

const DIGITS = 4

export const weightedView = (base: WeightedBase | undefined) =>
  base && { weighted_n: round(base.n, DIGITS), effective_n: round(base.effectiveN, DIGITS) }

export const weightedCount = (weight: number | undefined) =>
  weight === undefined ? {} : { weighted_count: round(weight, DIGITS) }

export const meanView = ({ mean, deviation, interval }: MeanSummary) => ({
  mean: mean === null ? null : round(mean, DIGITS),
  standard_deviation: deviation === null ? null : round(deviation, DIGITS),
  interval: intervalView(interval),
})

export const intervalView = (interval: MeanSummary['interval']): Schemas['Interval'] | null =>
  interval && { low: round(interval[0], DIGITS), high: round(interval[1], DIGITS) }

const chiSquareView = ({ statistic, degrees, p, v, lowExpected }: ChiSquare): Schemas['ChiSquare'] => ({
  statistic: round(statistic, DIGITS),
  degrees_of_freedom: degrees,
  p: Number(p.toPrecision(DIGITS)),
  cramers_v: round(v, DIGITS),
  low_expected_percentage: round(lowExpected * 100, 1),
})
