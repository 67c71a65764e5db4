import type { Services } from '../../domain/services.ts'
import type { StructureLanguage } from '../../domain/structure/structure.ts'
import { findLanguages, replaceLanguages } from '../../domain/survey/texts.ts'
import { pageReply } from '../paging.ts'
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
  languages: readonly StructureLanguage[],
  query: PageQuery,
  search: string,
) => {
  const page = collectionPage(query)
  const results = languages.slice(page.offset, page.offset + page.limit)
  return pageReply(`${surveyUri(services, id)}languages/`, search, page, languages.length, results)
}

export const listLanguages: Operation<'listLanguages'> = async ({ context, path, query, search }) => {
  const languages = await findLanguages(context, path.survey_id)
  return languagePage(context.services, path.survey_id, languages, query, search)
}

export const updateLanguages: Operation<'updateLanguages'> = async ({ context, path, body }) => {
  const replacements = Array.isArray(body) ? body : 'languages' in body ? body.languages : body.results
  const languages = await replaceLanguages(context, path.survey_id, replacements)
  return languagePage(context.services, path.survey_id, languages, {}, '')
}
