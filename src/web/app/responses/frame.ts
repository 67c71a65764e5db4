import { assertFew } from '../../../domain/response/filter/filter.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import type { Telling } from './answer.ts'
import { type Asked, readAsked } from './list-query.ts'

/** A request about the responses to a survey. */
export interface ResponsesVisit extends SurveyVisit {
  snapshot: SurveySnapshot
  asked: Asked
  telling: Telling
  /** Where the responses' pages begin. */
  top: string
}

/** Reads what every page about responses needs. @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request` */
export async function aboutResponses(visit: SurveyVisit): Promise<ResponsesVisit> {
  const snapshot = await findSnapshot(visit.context, visit.survey.id, 'Analyze')
  const asked = readAsked(visit.ctx.querystring)
  assertFew(asked.conditions)
  const { questionnaire: q } = snapshot
  const language = q.languages.find(({ code }) => code === asked.language)?.code ?? q.defaultLanguage
  return { ...visit, snapshot, asked, telling: { q, language }, top: `${visit.root}responses/` }
}
