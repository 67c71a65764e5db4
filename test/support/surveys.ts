import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import { createSurvey, type NewSurvey, updateStructure } from '../../src/domain/survey/commands.ts'
import { useOwnIds } from '../../src/domain/survey/response-ids.ts'
import type { SurveySettings } from '../../src/domain/survey/settings.ts'
import type { Survey } from '../../src/domain/survey/survey.ts'
import type { Tables } from '../../src/domain/tables.ts'
import type { Client, Reply } from './client.ts'
import { unescapeHtml } from './html.ts'
import type { Person, World } from './world.ts'

/** Creates a survey. @returns the survey and the path of its public page */
export const addSurvey = (
  owner: Person,
  structure: unknown,
  settings: Partial<SurveySettings> = {},
  draft: Partial<NewSurvey> = {},
): Promise<{ survey: Survey; path: string }> =>
  owner.act(async (context) => {
    const survey = await createSurvey(context, { structure, ...draft })
    survey.settings = { ...survey.settings, ...settings }
    if (settings.anonymous) {
      await context.em.flush()
      await useOwnIds(context, survey)
    }
    return { survey, path: `/surveys/${owner.actor.username}/${encodeURIComponent(survey.slug)}/` }
  })

/** Deletes a survey, and erases it in the trash. @returns the last reply */
export async function eraseSurvey(owner: Client, id: number | string): Promise<Reply> {
  await owner.delete(`/api/v3/surveys/${id}/`)
  return owner.delete(`/api/v3/deleted-surveys/${id}/`)
}

/**
 * Stores a structure that exceeds the current limits, as earlier versions of Canvass allowed.
 * @returns the path of the survey
 */
export async function addUnlimitedSurvey(world: World, owner: Person, structure: object): Promise<string> {
  const { survey, path } = await addSurvey(owner, { title: 'T', form: [pageOf(text('q'))] })
  await world
    .em()
    .getKysely<Tables>()
    .updateTable('survey')
    .set({ structure: JSON.stringify(normaliseStructure(structure)), revision: survey.revision + 1 } as never)
    .where('id', '=', survey.id)
    .execute()
  return path
}

/** Replaces the structure of a survey. */
export const replaceStructure = (editor: Person, id: number, structure: unknown) =>
  editor.act((context) => updateStructure(context, id, structure))

/** Returns all responses to a survey as stored, oldest first. */
export const storedResponses = (world: World, surveyId: number) =>
  world
    .em()
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', surveyId)
    .orderBy('id')
    .execute()

/** Returns the value of a hidden field of a page; an empty text if there is none. */
export const hiddenValue = ({ text }: Pick<Reply, 'text'>, name: string): string =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(text)?.[1] ?? ''

/** Returns the action of the form of a page. */
export const formAction = ({ text }: Pick<Reply, 'text'>): string =>
  unescapeHtml(/<form[^>]* method="post" action="([^"]*)"/.exec(text)?.[1] ?? '')

/**
 * Submits the form of a page as a browser without scripts does. If the page is rejected, follows the redirect, which
 * shows the page again with its errors.
 * @param answers values by field name; a list submits the field several times
 */
export async function submitForm<PageReply extends Pick<Reply, 'headers'>>(
  client: {
    post(path: string, body: { form: [string, string][] }): Promise<PageReply>
    get(path: string): Promise<PageReply>
  },
  page: Pick<Reply, 'text'>,
  answers: Record<string, string | string[]> = {},
): Promise<PageReply> {
  const tags = [
    ...page.text.matchAll(/<(fieldset[^>]* disabled|input type="hidden" name="([^"]*)" value="([^"]*)"|\/fieldset)/g),
  ]
  let disabled = false
  const form: [string, string][] = []
  for (const [, tag = '', name = '', value = ''] of tags) {
    if (tag.startsWith('fieldset')) disabled = true
    else if (tag === '/fieldset') disabled = false
    else if (!disabled) form.push([unescapeHtml(name), unescapeHtml(value)])
  }
  for (const [name, values] of Object.entries({ _go: 'next', ...answers }))
    for (const value of [values].flat()) form.push([name, value])
  const reply = await client.post(formAction(page), { form })
  const location = reply.headers.get('location')
  return location && /_draft=|_denied=/.test(location) ? client.get(location) : reply
}

/**
 * Returns a text question as clients may submit it, without the members that the service adds.
 * @param more additional settings of the question
 */
export const text = (id: string, more: object = {}) => ({
  idname: 'text-response',
  id,
  title: `Text ${id}`,
  children: [{ type: 'string', ...more }],
})

/**
 * Returns a single-choice question as clients may submit it, without the members that the service adds.
 * @param more additional settings of the question
 */
export const single = (id: string, labels: string[], more: object = {}) => ({
  idname: 'single-choice',
  id,
  title: `Single ${id}`,
  children: [{ type: 'single', choices: labels.map((label) => ({ label })), ...more }],
})

/** Returns a page with questions. */
export const pageOf = (...children: object[]) => ({ type: 'page', children })
