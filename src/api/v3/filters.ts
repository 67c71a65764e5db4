import * as filters from '../../domain/response/filter/saved-filters.ts'
import { pageReply } from '../paging.ts'
import { filterView } from './filter-view.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

export const listFilters: Operation<'listFilters'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, filters: items } = await filters.listFilters(context, path.survey_id, page)
  const results = items.map((filter) => filterView(context.services, path.survey_id, filter))
  return pageReply(`${surveyUri(context.services, path.survey_id)}filters/`, search, page, total, results)
}

export const saveFilter: Operation<'saveFilter'> = async ({ context, path, body }) => {
  const filter = await filters.saveFilter(context, path.survey_id, body)
  return { status: 201, body: filterView(context.services, path.survey_id, filter) }
}

export const removeFilter: Operation<'removeFilter'> = async ({ context, path, query, body }) => {
  await filters.removeFilter(context, path.survey_id, query.name ?? body.name)
  return { status: 200, body: 'OK' }
}
