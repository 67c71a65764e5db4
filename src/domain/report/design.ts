import { type FieldError, problems } from '../problem.ts'
import { parseFilters, printFilters, printSaved } from '../response/filter/filter.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import { type ChartKind, chartsFor } from './chart-kind.ts'

const LONGEST_QUERY = 2_000

const tooLong = () => problems.invalidField('query', `must have at most ${LONGEST_QUERY} characters`)

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
    if (unknown !== undefined)
      errors.push({ field: 'questions', message: `${JSON.stringify(unknown)} is no question of this survey` })
    if (questions.length === 0) errors.push({ field: 'questions', message: 'must have at least one' })
  }
  for (const [id, kind] of Object.entries(charts)) {
    const question = q.byId.get(id)
    if (!question || !chartsFor(question).includes(kind))
      errors.push({ field: 'charts', message: `${JSON.stringify(id)} cannot be drawn as ${kind}` })
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
