import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Question } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'

/**
 * Returns the question of a survey for which a program uploads a file.
 * @param name the ID or identifier of the question
 * @throws {Problem} `survey_not_found`, `forbidden`; `invalid_request` for an unknown question, or for a question that
 *   does not ask for a file
 */
export async function uploadQuestion(
  context: Context,
  surveyId: number,
  name: string,
): Promise<{ snapshot: SurveySnapshot; question: Question }> {
  const snapshot = await findSnapshot(context, surveyId, ['Test', 'Analyze'])
  const { byId, byIdentifier } = snapshot.questionnaire
  const question = byId.get(name) ?? byIdentifier.get(name)
  if (!question) throw problems.invalidField('question', 'unknown_question', { value: name.slice(0, 60) })
  if (!question.fields.some(({ type }) => type === 'file'))
    throw problems.invalidField('question', 'not_answerable', {}, 'must be a question that asks for a file')
  return { snapshot, question }
}
