import { randomBytes } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import type { Context } from '../../src/domain/context.ts'
import type { NewResponse } from '../../src/domain/response/submit/submission-batcher.ts'
import { createSurvey } from '../../src/domain/survey/commands.ts'
import { getSnapshot, type SurveySnapshot } from '../../src/domain/survey/snapshot.ts'
import type { Reply } from './client.ts'
import type { Person, World } from './world.ts'

/** What a test says of a response; the rest is invented. */
export type Draft = Partial<Omit<NewResponse, 'answers'>> & { answers?: Record<string, unknown> }

export const contextOf = (world: World, { actor }: Person): Context => ({
  em: world.em(),
  actor,
  now: world.now,
  services: world.application.services,
})

/** A survey with these questions on one page. */
export async function surveyOf(
  world: World,
  who: Person,
  title: string,
  children: unknown[],
  more: object = {},
): Promise<SurveySnapshot> {
  const context = contextOf(world, who)
  const { id } = await createSurvey(context, { structure: { title, form: [{ children }], ...more } })
  return (await getSnapshot(context.em, id))!
}

/** Stores responses through the inbox, in this order. @returns their ids */
export async function submit(world: World, survey: SurveySnapshot, drafts: readonly Draft[]): Promise<number[]> {
  const ids: number[] = []
  for (const { answers = {}, ...draft } of drafts) {
    const stored = await world.application.services.submissionBatcher.submit({
      surveyId: survey.id,
      revision: survey.revision,
      collectorId: survey.defaultCollector.id,
      key: randomBytes(20),
      completed: 1,
      answers: JSON.stringify(answers),
      createdAt: world.now,
      locale: null,
      completionTime: null,
      weightedScore: null,
      language: '',
      username: '',
      ipAddress: '',
      getVariables: null,
      referrer: null,
      pagepath: null,
      inviteCode: null,
      inviteEmail: null,
      inviteName: null,
      ...draft,
    })
    if (stored === 'stale') throw new Error('the survey changed under the test')
    ids.push(stored)
  }
  return ids
}

/** The meta columns, as every export begins. */
export const META =
  '_completed,_id,_updated_at,_created_at,_language,_ip_address,_locale,_username,_get_variables,_referrer,_saves,_weighted_score,_completion_time,_invite_code,_invite_email,_invite_name,_collector'.split(
    ',',
  )

/** The records of a file, header first. */
export const table = (text: string, delimiter = ','): string[][] => parse(text, { delimiter, recordDelimiter: '\r\n' })

/** The question columns of a reply, by header; one list of cells a line. */
export function answersIn({ text }: Reply): { header: string[]; lines: string[][] } {
  const [header, ...lines] = table(text).map((record) => record.slice(META.length))
  return { header: header!, lines }
}
