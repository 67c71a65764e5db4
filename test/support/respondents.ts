import { randomBytes } from 'node:crypto'
import type { NewResponse } from '../../src/domain/response/submit/submission-batcher.ts'
import { createSurvey } from '../../src/domain/survey/commands.ts'
import type { SurveySettings } from '../../src/domain/survey/settings.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../src/domain/tables.ts'
import type { Person, World } from './world.ts'

/** What a test says of a response; the rest is as for an ordinary respondent. */
export type Told = Partial<Omit<NewResponse, 'answers' | 'createdAt'>> & {
  answers?: Record<string, unknown>
  createdAt?: string
}

/** A survey with this structure. @returns its id */
export async function surveyOf(
  world: World,
  { actor }: Person,
  structure: object,
  settings: Partial<SurveySettings> = {},
): Promise<number> {
  const em = world.em()
  const { id } = await em.transactional((inner) =>
    createSurvey({ em: inner, actor, now: world.now, services: world.application.services }, { structure }),
  )
  if (Object.keys(settings).length > 0) {
    await em
      .getKysely<Tables>()
      .updateTable('survey')
      .set((eb) => ({ settings: JSON.stringify(settings) as never, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute()
  }
  return id
}

/** Stores a response as respondents' answers come in. @returns its id and key */
export async function respond(world: World, surveyId: number, told: Told = {}): Promise<{ id: number; key: string }> {
  const snapshot = (await getSnapshot(world.em(), surveyId))!
  const key = told.key ?? randomBytes(20)
  const id = await world.application.services.submissionBatcher.submit({
    surveyId,
    revision: snapshot.revision,
    collectorId: snapshot.defaultCollector.id,
    completed: 1,
    locale: null,
    completionTime: null,
    weightedScore: null,
    language: '',
    username: '',
    ipAddress: '203.0.113.7',
    getVariables: null,
    referrer: null,
    pagepath: null,
    inviteCode: null,
    inviteEmail: null,
    inviteName: null,
    ...told,
    key,
    answers: JSON.stringify(told.answers ?? {}),
    createdAt: new Date(told.createdAt ?? world.now),
  })
  if (id === 'stale') throw new Error('the survey changed while a test answered it')
  return { id, key: key.toString('hex') }
}
