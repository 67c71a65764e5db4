import * as queries from '../../domain/survey/versions.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation } from './operation.ts'
import { surveyUri } from './urls.ts'
import { questionView, textFormatOf } from './views.ts'

export const listQuestions: Operation<'listQuestions'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, questions, q } = await queries.listQuestions(context, path.survey_id, page)
  const format = textFormatOf(query.language, q)
  const results = questions.map((question) => questionView(context.services, path.survey_id, question, format))
  return pageReply(`${surveyUri(context.services, path.survey_id)}questions/`, search, page, total, results)
}

export const getQuestion: Operation<'getQuestion'> = async ({ context, path, query }) => {
  const { question, q } = await queries.findQuestion(context, path.survey_id, path.question_id)
  return {
    status: 200,
    body: questionView(context.services, path.survey_id, question, textFormatOf(query.language, q)),
  }
}
