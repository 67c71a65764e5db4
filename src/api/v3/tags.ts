import * as tags from '../../domain/survey/tags.ts'
import { pageReply } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

export const listTags: Operation<'listTags'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, names } = await tags.listTags(context, path.survey_id, page)
  const results = names.map((name) => ({ name }))
  return pageReply(`${surveyUri(context.services, path.survey_id)}tags/`, search, page, total, results)
}

export const addTag: Operation<'addTag'> = async ({ context, path, body }) => {
  return { status: 201, body: { name: await tags.addTag(context, path.survey_id, body.name) } }
}

export const removeTag: Operation<'removeTag'> = async ({ context, path, query, body }) => {
  await tags.removeTag(context, path.survey_id, query.name ?? body.name)
  return { status: 200, body: 'OK' }
}
