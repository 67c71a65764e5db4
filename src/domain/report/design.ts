import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { parseFilters, printFilters, printSaved } from '../response/filter/filter.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import { type ChartKind, chartsFor } from './chart-kind.ts'

const LONGEST_QUERY = 2_000

const tooLong = () =>
  problems.invalidField('query', 'limit_reached', { max: LONGEST_QUERY }, `must be at most ${LONGEST_QUERY} characters`)

/** What a report shows, beside its title. */
export interface ReportDesign {
  /** Ids of questions; null: all. */
  questions: string[] | null
  /** By question id; the usual chart where it has none. */
  charts: Record<string, ChartKind>
  /** Conditions on responses, as in a query string; those of a kept report as `printSaved` writes them. */
  query: string
  /** Whether people who open the shared report see text answers, which may identify respondents. */
  shareTextAnswers: boolean
}

/** All questions, all responses but incomplete ones, each chart as usual. */
export const plainDesign: Readonly<ReportDesign> = Object.freeze({
  questions: null,
  charts: {},
  query: '',
  shareTextAnswers: false,
})

/**
 * A design as it is kept: questions in the order of the survey, only the charts that differ from the usual ones.
 * @throws {Problem} `invalid_request` naming what does not fit the survey
 */
export function checkDesign(
  q: Questionnaire,
  { questions, charts, query, shareTextAnswers }: ReportDesign,
): ReportDesign {
  // Before it is read: what is kept is at least a third as long, however much of it was escaped.
  if (query.length > 3 * LONGEST_QUERY) throw tooLong()
  const errors: FieldError[] = []
  const asked = q.questions.filter(({ fields }) => fields.length > 0)
  if (questions) {
    const unknown = questions.find((id) => !asked.some((question) => question.id === id))
    if (unknown !== undefined) errors.push(fieldError('questions', 'unknown_question', { value: unknown }))
    if (questions.length === 0) errors.push(fieldError('questions', 'too_few', { min: 1 }))
  }
  for (const [id, kind] of Object.entries(charts)) {
    const question = q.byId.get(id)
    if (!question || !chartsFor(question).includes(kind))
      errors.push(fieldError('charts', 'invalid_chart', { question: id, chart: kind }))
  }
  if (errors.length > 0) throw problems.invalid(errors)
  const filters = parseFilters(query, q, 'strict', new Set())
  if (printFilters(filters).length > LONGEST_QUERY) throw tooLong()
  const unusual = Object.entries(charts).filter(([id, kind]) => chartsFor(q.byId.get(id)!)[0] !== kind)
  return {
    questions: questions && asked.map(({ id }) => id).filter((id) => questions.includes(id)),
    charts: Object.fromEntries(unusual),
    query: printSaved(q, filters),
    shareTextAnswers,
  }
}
