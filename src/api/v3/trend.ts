import { percentage } from '../../domain/report/question-stats.ts'
import { DEFAULT_DESIGN } from '../../domain/report/report.ts'
import { showTrend, type Trend } from '../../domain/report/trend.ts'
import type { Services } from '../../domain/services.ts'
import { intervalView, meanView, questionView } from './cross-table.ts'
import type { Operation, Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'
import { textFormatOf } from './views.ts'

/** Query parameters of a trend. All other parameters are filters (docs/specification.md 7.7). */
const PARAMETERS: ReadonlySet<string> = new Set(['question', 'by', 'time_zone', 'language', 'filter'])

export const getTrend: Operation<'getTrend'> = async ({ context, path, query, search }) => {
  const { question, by = 'day', time_zone: timeZone, language, filter } = query
  const request = { search, mode: 'strict', parameters: PARAMETERS, filter } as const
  const trend = await showTrend(context, path.survey_id, DEFAULT_DESIGN, request, { question, by, timeZone })
  return { status: 200, body: trendView(context.services, path.survey_id, trend, language) }
}

function trendView(
  services: Services,
  surveyId: number,
  { questionnaire, field, by, timeZone, points }: Trend,
  language: string | undefined,
): Schemas['Trend'] {
  const format = textFormatOf(language, questionnaire)
  return {
    survey_uri: surveyUri(services, surveyId),
    question: questionView({ field, multiple: field.type === 'multi' }, format),
    by,
    time_zone: timeZone,
    periods: points.map(({ from, wave, answered, mean, nps, choices }) => ({
      from,
      ...(wave && { collector: { id: wave.id, name: wave.name ?? null } }),
      answered,
      ...(mean && meanView(mean)),
      ...(nps && { nps: { score: nps.score, interval: intervalView(nps.interval) } }),
      choices: choices.map(({ choice, count, interval }) => ({
        index: choice.index,
        label: format(choice.label),
        count,
        percentage: percentage(count, answered),
        interval: intervalView(interval),
      })),
    })),
  }
}
