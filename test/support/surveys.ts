import { createSurvey, type NewSurvey, updateStructure } from '../../src/domain/survey/commands.ts'
import type { SurveySettings } from '../../src/domain/survey/settings.ts'
import type { Survey } from '../../src/domain/survey/survey.ts'
import type { Tables } from '../../src/domain/tables.ts'
import type { Reply } from './client.ts'
import type { Person, World } from './world.ts'

/** Creates a survey. @returns the survey and the path of its page */
export async function surveyOf(
  world: World,
  person: Person,
  structure: unknown,
  settings: Partial<SurveySettings> = {},
  draft: Partial<NewSurvey> = {},
): Promise<{ survey: Survey; path: string }> {
  const em = world.em()
  const context = { em, actor: person.actor, now: world.now, services: world.application.services }
  const survey = await createSurvey(context, { structure, ...draft })
  survey.settings = { ...survey.settings, ...settings }
  await em.flush()
  return { survey, path: `/surveys/${person.actor.username}/${encodeURIComponent(survey.slug)}/` }
}

/** Replaces the structure of a survey. */
export const restructure = (world: World, person: Person, id: number, structure: unknown) =>
  world
    .em()
    .transactional((em) =>
      updateStructure({ em, actor: person.actor, now: world.now, services: world.application.services }, id, structure),
    )

/** Returns the stored responses of a survey, oldest first. */
export const responsesTo = (world: World, surveyId: number) =>
  world
    .em()
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', surveyId)
    .orderBy('id')
    .execute()

/** Returns the value of a hidden field on a page. */
export const hiddenValue = ({ text }: Pick<Reply, 'text'>, name: string): string =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(text)?.[1] ?? ''

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Returns the action of the form on a page. */
export const actionOf = ({ text }: Pick<Reply, 'text'>): string =>
  unescaped(/<form[^>]* method="post" action="([^"]*)"/.exec(text)?.[1] ?? '')

/**
 * Submits the form of a page with answers, as a browser without JavaScript does. Follows the redirect to a page with errors.
 */
export async function sendForm<PageReply extends Pick<Reply, 'headers'>>(
  client: {
    post(path: string, sent: { form: [string, string][] }): Promise<PageReply>
    get(path: string): Promise<PageReply>
  },
  page: Pick<Reply, 'text'>,
  answers: Record<string, string | string[]> = {},
): Promise<PageReply> {
  const hidden = [
    ...page.text.matchAll(/<(fieldset[^>]* disabled|input type="hidden" name="([^"]*)" value="([^"]*)"|\/fieldset)/g),
  ]
  let disabled = false
  const form: [string, string][] = []
  for (const [, tag = '', name = '', value = ''] of hidden) {
    if (tag.startsWith('fieldset')) disabled = true
    else if (tag === '/fieldset') disabled = false
    else if (!disabled) form.push([unescaped(name), unescaped(value)])
  }
  const fields = Object.entries({ _go: 'next', ...answers }).flatMap(([name, value]) =>
    [value].flat().map((entry): [string, string] => [name, entry]),
  )
  const reply = await client.post(actionOf(page), { form: [...form, ...fields] })
  const to = reply.headers.get('location')
  return to && /_draft=|_denied=/.test(to) ? client.get(to) : reply
}

/** Returns a text question in the short form of a structure. */
export const text = (id: string, more: object = {}) => ({
  idname: 'text-response',
  id,
  title: `Text ${id}`,
  children: [{ type: 'string', ...more }],
})

export const single = (id: string, labels: string[], more: object = {}) => ({
  idname: 'single-choice',
  id,
  title: `Single ${id}`,
  children: [{ type: 'single', choices: labels.map((label) => ({ label })), ...more }],
})

export const pageOf = (...children: object[]) => ({ type: 'page', children })
