import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { lockSurvey, summariseSurvey } from './queries.ts'

const MAX_TAG_CHARACTERS = 100
const MAX_TAGS = 100

/**
 * Returns the tags of a survey, in the order they were added.
 * @returns the total number, and the names of the slice
 * @throws {Problem} `survey_not_found`
 */
export async function listTags(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; names: readonly string[] }> {
  const { tags } = await summariseSurvey(context, surveyId)
  return { total: tags.length, names: tags.slice(offset, offset + limit) }
}

/**
 * Adds a tag to a survey, unless the survey already has the tag.
 * @returns the trimmed tag
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function addTag(context: Context, surveyId: number, name: string): Promise<string> {
  const tag = checkName(name, 'name', MAX_TAG_CHARACTERS)
  const survey = await lockSurvey(context, surveyId, 'Edit')
  if (survey.tags.includes(tag)) return tag
  if (survey.tags.length >= MAX_TAGS)
    throw problems.invalidField('name', 'limit_reached', { max: MAX_TAGS }, detail('too_many_tags', { max: MAX_TAGS }))
  survey.tags = [...survey.tags, tag]
  await context.em.flush()
  return tag
}

/**
 * Removes a tag from a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `tag_not_found`, `invalid_request`
 */
export async function removeTag(context: Context, surveyId: number, name: string | undefined): Promise<void> {
  const tag = checkName(name ?? '', 'name', MAX_TAG_CHARACTERS)
  const survey = await lockSurvey(context, surveyId, 'Edit')
  if (!survey.tags.includes(tag)) throw problems.tagNotFound()
  survey.tags = survey.tags.filter((other) => other !== tag)
  await context.em.flush()
}
