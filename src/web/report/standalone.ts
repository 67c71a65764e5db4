import { describeSurvey } from '../../domain/survey/queries.ts'
import type { Html } from '../../lib/html.ts'
import { latePage } from './deferred.ts'
import { voiceFor } from './i18n.ts'
import { daysFor, type ReportRequest } from './report-request.ts'
import { spreadsFor, spreadView } from './spread.ts'
import { timelineView } from './timeline.ts'

/** What a page of its own shows of a report. */
interface Apart {
  title: string
  content: Html
}

/** The chart over time on a page of its own. */
export async function daysPage(looking: ReportRequest): Promise<Apart> {
  return latePage(looking, 'Responses by day', timelineView(looking, await daysFor(looking)))
}

/** The spread of a question's numbers on a page of its own. @throws {Problem} `question_not_found` */
export async function spreadPage(looking: ReportRequest, id: string): Promise<Apart> {
  const spreads = await spreadsFor(looking, [id])
  const { questionnaire: q } = await describeSurvey(looking.context, looking.survey.id)
  const title = voiceFor(q, looking.language)(q.byId.get(id)!.title) || id
  return latePage(looking, title, spreadView(looking, id, title, spreads.get(id)))
}
