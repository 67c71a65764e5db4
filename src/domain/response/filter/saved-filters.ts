import { defineEntity, p } from '@mikro-orm/core'
import type { Slice } from '../../../lib/paging.ts'
import type { Context } from '../../context.ts'
import { detail } from '../../error-details.ts'
import { checkName } from '../../name.ts'
import { problems } from '../../problem.ts'
import { findSnapshot, lockSurvey } from '../../survey/queries.ts'
import { SurveySchema } from '../../survey/survey.ts'
import type { Tables } from '../../tables.ts'
import { currentQuery, parseFilters, printFilters, printSaved } from './filter.ts'
import { predefinedFilters } from './named-filter.ts'

export const SavedFilterSchema = defineEntity({
  name: 'SavedFilter',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade'),
    name: p.text(),
    /** The conditions as a query string with stable numbers of choices: `q1=2&_created_at>2024-01-31`. */
    query: p.text(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'saved_filter_name_key', properties: ['survey', 'name'] }],
})

/** Named conditions on the responses to a survey. */
class SavedFilter extends SavedFilterSchema.class {}
SavedFilterSchema.setClass(SavedFilter)

const MAX_NAME_CHARACTERS = 100
const MAX_QUERY_CHARACTERS = 2_000

/** A saved filter. `query` contains the present positions of choices. */
export interface NamedQuery {
  name: string
  query: string
}

/**
 * Lists the saved filters of a survey, oldest first.
 * @returns the total number of saved filters, and one page
 * @throws {Problem} `survey_not_found`
 */
export async function listFilters(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; filters: NamedQuery[] }> {
  const { questionnaire } = await findSnapshot(context, surveyId, 'Report')
  const [saved, total] = await context.em.findAndCount(
    SavedFilter,
    { survey: surveyId },
    { orderBy: { id: 'asc' }, offset, limit },
  )
  return { total, filters: saved.map(({ name, query }) => ({ name, query: currentQuery(questionnaire, query) })) }
}

function checkFilterName(text: string): string {
  const name = checkName(text, 'name', MAX_NAME_CHARACTERS)
  if (predefinedFilters.has(name)) throw problems.invalidField('name', 'taken', {}, detail('predefined_filter'))
  return name
}

/**
 * Saves filters under a new name.
 * @returns the filter with its normalised query
 * @throws {Problem} `survey_not_found`, `invalid_request` for an invalid name or query, `filter_exists`
 */
export async function saveFilter(context: Context, surveyId: number, draft: NamedQuery): Promise<NamedQuery> {
  const { em, now } = context
  const name = checkFilterName(draft.name)
  const { questionnaire } = await findSnapshot(context, surveyId, 'Correct')
  const filters = parseFilters(draft.query, questionnaire, 'strict', new Set())
  if (filters.length === 0)
    throw problems.invalidField('query', 'invalid_filter', {}, 'must have a condition, such as _completed=1')
  const query = printFilters(filters)
  if (query.length > MAX_QUERY_CHARACTERS) {
    throw problems.invalidField(
      'query',
      'limit_reached',
      { max: MAX_QUERY_CHARACTERS },
      detail('max_characters', { max: MAX_QUERY_CHARACTERS }),
    )
  }
  em.create(SavedFilter, { survey: surveyId, name, query: printSaved(questionnaire, filters), createdAt: now })
  await em.flush()
  return { name, query }
}

/**
 * Renames a saved filter.
 * @throws {Problem} `survey_not_found`, `filter_not_found`, `invalid_request`, `filter_exists`
 */
export async function renameFilter(context: Context, surveyId: number, name: string, newName: string): Promise<void> {
  const checkedName = checkFilterName(newName)
  await lockSurvey(context, surveyId, 'Correct')
  const filter = await context.em.findOne(SavedFilter, { survey: surveyId, name })
  if (!filter) throw problems.filterNotFound()
  filter.name = checkedName
  await context.em.flush()
}

/**
 * Deletes a saved filter.
 * @throws {Problem} `survey_not_found`, `filter_not_found`
 */
export async function removeFilter(context: Context, surveyId: number, name: string | undefined): Promise<void> {
  const checkedName = checkName(name ?? '', 'name', MAX_NAME_CHARACTERS)
  await lockSurvey(context, surveyId, 'Correct')
  const removed = await context.em
    .getKysely<Tables>()
    .deleteFrom('saved_filter')
    .where('survey_id', '=', surveyId)
    .where('name', '=', checkedName)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) throw problems.filterNotFound()
}
