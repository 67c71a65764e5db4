import { parse } from 'csv-parse/sync'
import type { Context } from '../../src/domain/context.ts'
import { createSurvey } from '../../src/domain/survey/commands.ts'
import { getSnapshot, type SurveySnapshot } from '../../src/domain/survey/snapshot.ts'
import type { Reply } from './client.ts'
import { type ResponseDraft, respond } from './respondents.ts'
import type { Person, World } from './world.ts'

/** Returns a context of the domain for an account. */
export const contextOf = (world: World, { actor }: Person): Context => ({
  em: world.em(),
  actor,
  now: world.now,
  services: world.application.services,
})

/** Creates a survey with questions on one page. */
export async function surveyWithQuestions(
  world: World,
  author: Person,
  title: string,
  children: unknown[],
  more: object = {},
): Promise<SurveySnapshot> {
  const context = contextOf(world, author)
  const { id } = await createSurvey(context, { structure: { title, form: [{ children }], ...more } })
  return (await getSnapshot(context.em, id))!
}

/** Stores responses in the given order. @returns their IDs */
export async function storeResponses(
  world: World,
  survey: SurveySnapshot,
  drafts: readonly ResponseDraft[],
): Promise<number[]> {
  const ids: number[] = []
  for (const draft of drafts) ids.push((await respond(world, survey.id, { ipAddress: '', ...draft })).id)
  return ids
}

/** The metadata columns, which every export begins with. */
export const META =
  '_completed,_id,_updated_at,_created_at,_language,_ip_address,_locale,_username,_get_variables,_referrer,_saves,_weighted_score,_completion_time,_invite_code,_invite_email,_invite_name,_collector'.split(
    ',',
  )

/** Returns the records of a CSV file, the header first. */
export const table = (text: string, delimiter = ','): string[][] =>
  parse(text, { delimiter, recordDelimiter: '\r\n', bom: true })

/** Returns the question columns of an export: the header, and the cells of each line. */
export function answersIn({ text }: Reply): { header: string[]; lines: string[][] } {
  const [header, ...lines] = table(text).map((record) => record.slice(META.length))
  return { header: header!, lines }
}
