import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Question, Questionnaire } from '../structure/questionnaire.ts'
import { findSnapshot } from './queries.ts'

/**
 * Returns the questions of a survey in the order of its structure.
 * @throws {Problem} `survey_not_found`
 */
export async function listQuestions(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; questions: readonly Question[]; q: Questionnaire }> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'Member')
  return { total: q.questions.length, questions: q.questions.slice(offset, offset + limit), q }
}

/**
 * Returns a question by its id or its identifier.
 * @throws {Problem} `survey_not_found`, `question_not_found`
 */
export async function findQuestion(
  context: Context,
  surveyId: number,
  name: string,
): Promise<{ question: Question; q: Questionnaire }> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'Member')
  const question = q.byId.get(name) ?? q.byIdentifier.get(name)
  if (!question) throw problems.questionNotFound()
  return { question, q }
}
