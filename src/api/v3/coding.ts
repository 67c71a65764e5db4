import * as answers from '../../domain/response/coding/answers.ts'
import * as categories from '../../domain/response/coding/categories.ts'
import { sliceOf } from '../../lib/paging.ts'
import type { Operation } from './operation.ts'
import { responsesUri } from './urls.ts'

export const listCategories: Operation<'listCategories'> = async ({ context, path }) => ({
  status: 200,
  body: { results: await categories.listCategories(context, path.survey_id) },
})

export const createCategory: Operation<'createCategory'> = async ({ context, path, body }) => ({
  status: 201,
  body: await categories.createCategory(context, path.survey_id, body),
})

export const updateCategory: Operation<'updateCategory'> = async ({ context, path, body }) => ({
  status: 200,
  body: await categories.updateCategory(context, path.survey_id, path.category_id, body),
})

export const deleteCategory: Operation<'deleteCategory'> = async ({ context, path }) => {
  await categories.deleteCategory(context, path.survey_id, path.category_id)
  return { status: 200, body: 'OK' }
}

export const listTextAnswers: Operation<'listTextAnswers'> = async ({ context, path, query }) => {
  const { page_size, cursor, ...search } = query
  const { limit } = sliceOf({ limit: page_size, default: 50, max: 200 })
  const page = await answers.listAnswers(context, path.survey_id, search, { cursor, limit })
  const uri = responsesUri(context.services, path.survey_id)
  const results = page.answers.map(({ responseId, responseNumber, field, ...answer }) => ({
    response_id: responseId,
    response_number: responseNumber,
    response_uri: `${uri}${responseId}/`,
    question: field.question.id,
    key: field.key,
    ...answer,
  }))
  return { status: 200, body: { results, next_cursor: page.cursor } }
}

export const countTextAnswers: Operation<'countTextAnswers'> = async ({ context, path, query }) => ({
  status: 200,
  body: await answers.countAnswers(context, path.survey_id, query),
})

export const codeTextAnswers: Operation<'codeTextAnswers'> = async ({ context, path, body }) => {
  const names = body.answers.map(({ response_id, key }) => ({ responseId: response_id, key }))
  await answers.codeAnswers(context, path.survey_id, names, body)
  return { status: 200, body: 'OK' }
}
