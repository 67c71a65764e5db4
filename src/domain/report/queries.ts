import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import { countPredicates } from '../rollup/aggregate.ts'
import { countAllFromRollup } from '../rollup/counts.ts'
import { crossTabulate } from '../rollup/cross-tabulate.ts'
import { reportedQuestions, reportPredicates, STATES } from '../rollup/report-predicates.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import { findSurvey } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { type QuestionStats, questionStats } from './question-stats.ts'
import { recentAnswers, type TextAnswer } from './recent-answers.ts'
import { Report } from './report.ts'

/**
 * Lists the reports of a survey, oldest first.
 * @param slice absent: all reports
 * @throws {Problem} `survey_not_found`
 */
export async function listReports(
  context: Context,
  surveyId: number,
  slice: Partial<Slice> = {},
): Promise<{ total: number; reports: Report[] }> {
  await findSurvey(context, surveyId, 'Analyze')
  const [reports, total] = await context.em.findAndCount(
    Report,
    { survey: surveyId },
    { orderBy: { id: 'asc' }, ...slice },
  )
  return { total, reports }
}

/**
 * Returns the entity of a report.
 * @throws {Problem} `survey_not_found`, `report_not_found`
 */
export async function findReport(context: Context, surveyId: number, id: number): Promise<Report> {
  await findSurvey(context, surveyId, 'Analyze')
  return context.em.findOneOrFail(Report, { id, survey: surveyId }, { failHandler: problems.reportNotFound })
}

/** Statistics of responses to a survey. */
export interface ReportResults {
  questionnaire: Questionnaire
  responses: { total: number; incomplete: number; complete: number; terminated: number }
  questions: readonly QuestionStats[]
  /** Most recent text answers by stored key. */
  recentAnswers: ReadonlyMap<string, readonly TextAnswer[]>
}

/** Computes the statistics of each question, over the responses that pass every filter. */
export async function computeResults(
  context: Context,
  { id: surveyId, questionnaire: q }: SurveySnapshot,
  filters: readonly Filter[],
): Promise<ReportResults> {
  const db = context.em.getKysely<Tables>()
  const predicates = reportPredicates(q)
  const counts =
    filters.length > 0
      ? ((await crossTabulate(db, surveyId, filters, predicates)) ??
        (await countPredicates(db, surveyId, filters, predicates)))
      : await countAllFromRollup(context, surveyId, predicates)
  const questions = reportedQuestions(q).map((question) => questionStats(question, counts))
  const textKeys = questions.flatMap(({ fields }) =>
    fields
      .filter(({ answered, choices, field }) => !choices && answered > 0 && field.type !== 'decimal' && !field.part)
      .map(({ field }) => field.storedKey),
  )
  const latestAnswers = await recentAnswers(db, surveyId, filters, textKeys)
  const [incomplete = 0, complete = 0, terminated = 0] = STATES.map(counts)
  const total = incomplete + complete + terminated
  return {
    questionnaire: q,
    responses: { total, incomplete, complete, terminated },
    questions,
    recentAnswers: latestAnswers,
  }
}
