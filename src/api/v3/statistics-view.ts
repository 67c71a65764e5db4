import type { SurveyStatistics } from '../../domain/report/statistics.ts'
import type { Services } from '../../domain/services.ts'
import type { Questionnaire } from '../../domain/structure/questionnaire.ts'
import type { Schemas } from './operation.ts'
import { textFormatOf } from './question-view.ts'
import { surveyUri } from './urls.ts'

/**
 * Returns the view of the statistics of a survey; without `language`, titles are language objects such as
 * `{ en: 'Page', de: 'Seite' }`.
 */
export function statisticsView(
  services: Services,
  surveyId: number,
  { responses, completionRate, medianSeconds, lastResponseAt, days, pages }: SurveyStatistics,
  q: Questionnaire,
  language: string | undefined,
): Schemas['SurveyStatistics'] {
  const format = textFormatOf(language, q)
  return {
    survey_uri: surveyUri(services, surveyId),
    responses,
    completion_rate: completionRate,
    median_completion_seconds: medianSeconds,
    last_response_at: lastResponseAt?.toISOString() ?? null,
    days: [...days],
    pages: pages.map(({ number, title, submitted, stopped }) => ({ number, title: format(title), submitted, stopped })),
  }
}
