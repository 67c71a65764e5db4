import type { Services } from '../../domain/services.ts'
import type { StructureLanguage } from '../../domain/structure/structure.ts'
import { findLanguages, replaceLanguages } from '../../domain/survey/languages.ts'
import { paged } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

interface PageQuery {
  page?: number
  page_size?: number
}

const languagePage = (
  services: Services,
  id: number,
  all: readonly StructureLanguage[],
  query: PageQuery,
  search: string,
) => {
  const page = collectionPage(query)
  const results = all.slice(page.offset, page.offset + page.limit)
  return paged(`${surveyUri(services, id)}languages/`, search, page, all.length, results)
}

export const listLanguages: Operation<'listLanguages'> = async ({ context, path, query, search }) => {
  const languages = await findLanguages(context, path.survey_id)
  return languagePage(context.services, path.survey_id, languages, query, search)
}

export const updateLanguages: Operation<'updateLanguages'> = async ({ context, path, body }) => {
  const given = Array.isArray(body) ? body : 'languages' in body ? body.languages : body.results
  const languages = await replaceLanguages(context, path.survey_id, given)
  return languagePage(context.services, path.survey_id, languages, {}, '')
}
