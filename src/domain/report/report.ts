import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { parseFilters, printFilters, printSaved } from '../response/filter/filter.ts'
import type { Question, Questionnaire } from '../structure/questionnaire.ts'
import { SurveySchema } from '../survey/survey.ts'

export const ReportSchema = defineEntity({
  name: 'Report',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    title: p.text(),
    /** Ids of the questions in the report; null: all questions, including questions that are added later. */
    questions: p.type(TextArray).$type<string[]>().nullable(),
    /** Charts that are not the default, by question id. */
    charts: p.json<Record<string, ChartKind>>().default('{}'),
    /** Filters as a query string with stable numbers of choices. */
    query: p.text().default(''),
    /** Whether the shared report shows text answers. */
    shareTextAnswers: p.boolean().default(false),
    createdAt: p.datetime(),
  },
})

/** A named view of the results of a survey. The results are computed on request. */
export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report)

const MAX_QUERY_CHARACTERS = 2_000

const tooLong = () =>
  problems.invalidField(
    'query',
    'limit_reached',
    { max: MAX_QUERY_CHARACTERS },
    detail('max_characters', { max: MAX_QUERY_CHARACTERS }),
  )

/** The settings of a report except its title. */
export interface ReportDesign {
  /** Ids of the questions of the report; null: all questions. */
  questions: string[] | null
  /** Charts by question id. A question without an entry has the default chart. */
  charts: Record<string, ChartKind>
  /** Filters as a query string; in a stored report, in the format of `printSaved`. */
  query: string
  /** Whether the shared report shows text answers, which may identify respondents. */
  shareTextAnswers: boolean
}

/** All questions with their default charts, over all responses except incomplete ones. */
export const DEFAULT_DESIGN: Readonly<ReportDesign> = Object.freeze({
  questions: null,
  charts: {},
  query: '',
  shareTextAnswers: false,
})

/**
 * Validates a design and returns its stored form, with questions in the order of the survey and without default charts.
 * @throws {Problem} `invalid_request` naming `questions`, `charts` or each filter that does not match the survey
 */
export function checkDesign(
  q: Questionnaire,
  { questions, charts, query, shareTextAnswers }: ReportDesign,
): ReportDesign {
  // The limit applies to the normalised query (`printFilters`). Percent-encoding makes a query at most three times as
  // long. A query of more than three times the limit can therefore be rejected without parsing it, which would take
  // long.
  if (query.length > 3 * MAX_QUERY_CHARACTERS) throw tooLong()
  const errors: FieldError[] = []
  const answerable = q.questions.filter(({ fields }) => fields.length > 0)
  if (questions) {
    const unknown = questions.find((id) => !answerable.some((question) => question.id === id))
    if (unknown !== undefined) errors.push(fieldError('questions', 'unknown_question', { value: unknown }))
    if (questions.length === 0) errors.push(fieldError('questions', 'too_few', { min: 1 }, detail('question_required')))
  }
  for (const [id, kind] of Object.entries(charts)) {
    const question = q.byId.get(id)
    if (!question || !chartsFor(question).includes(kind))
      errors.push(fieldError('charts', 'invalid_chart', { question: id, chart: kind }))
  }
  if (errors.length > 0) throw problems.invalid(errors)
  const filters = parseFilters(query, q, 'strict', new Set())
  if (printFilters(filters).length > MAX_QUERY_CHARACTERS) throw tooLong()
  const nonDefaultCharts = Object.entries(charts).filter(([id, kind]) => chartsFor(q.byId.get(id)!)[0] !== kind)
  return {
    questions: questions && answerable.map(({ id }) => id).filter((id) => questions.includes(id)),
    charts: Object.fromEntries(nonDefaultCharts),
    query: printSaved(q, filters),
    shareTextAnswers,
  }
}

/**
 * Kinds of charts: horizontal bars, columns, a stacked bar per row, a gauge of the net promoter score, mean ranks of
 * the choices of a ranking, and mean scores of the rows of a grid.
 */
export const chartKinds = ['bars', 'columns', 'stacked', 'gauge', 'places', 'means'] as const
export type ChartKind = (typeof chartKinds)[number]

/** Returns the charts that are available for a question; the first one is the default. Text questions have none. */
export function chartsFor({ kind, fields, rows }: Question): readonly ChartKind[] {
  const [first] = fields
  if (!first || first.choices.length === 0) return []
  // If respondents can choose several choices, the percentages of a row do not add up to 100 %.
  if (rows.length > 0) return first.type === 'multi' ? ['bars'] : ['stacked', 'means']
  switch (first.type) {
    case 'single':
    case 'multi':
    case 'boolean':
      return ['bars', 'columns']
    case 'number':
      return typeOf(kind)?.promoters ? ['gauge', 'columns'] : ['columns', 'bars']
    case 'ranking':
      return ['places', 'stacked']
    default:
      return []
  }
}
