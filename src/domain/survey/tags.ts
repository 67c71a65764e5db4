import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { lockSurvey, summariseSurvey } from './queries.ts'

const MAX_TAG_CHARACTERS = 100
const MAX_TAGS = 100

/**
 * The tags of a survey, in the order they were added.
 * @returns how many there are in all, and those of the asked-for slice
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
 * Puts a tag on a survey. One that is there already stays, once.
 * @returns the tag as it is kept, without spaces around it
 * @throws {Problem} `survey_not_found`, `invalid_request`
 */
export async function addTag(context: Context, surveyId: number, name: string): Promise<string> {
  const tag = checkName(name, 'name', MAX_TAG_CHARACTERS)
  const survey = await lockSurvey(context, surveyId, 'Edit')
  if (survey.tags.includes(tag)) return tag
  if (survey.tags.length >= MAX_TAGS)
    throw problems.invalidField(
      'name',
      'limit_reached',
      { max: MAX_TAGS },
      `a survey can have at most ${MAX_TAGS} tags`,
    )
  survey.tags = [...survey.tags, tag]
  await context.em.flush()
  return tag
}

/** Takes a tag off a survey. @throws {Problem} `survey_not_found`, `tag_not_found` */
export async function removeTag(context: Context, surveyId: number, name: string | undefined): Promise<void> {
  const tag = checkName(name ?? '', 'name', MAX_TAG_CHARACTERS)
  const survey = await lockSurvey(context, surveyId, 'Edit')
  if (!survey.tags.includes(tag)) throw problems.tagNotFound()
  survey.tags = survey.tags.filter((other) => other !== tag)
  await context.em.flush()
}
