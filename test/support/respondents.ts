import { randomBytes } from 'node:crypto'
import type { NewResponse } from '../../src/domain/response/submit/new-response.ts'
import { getSnapshot } from '../../src/domain/survey/snapshot.ts'
import type { World } from './world.ts'

/** The fields of a response that a test sets. All others have defaults. */
export type ResponseDraft = Partial<Omit<NewResponse, 'answers' | 'createdAt'>> & {
  answers?: Record<string, unknown>
  createdAt?: string | Date
}

/** Stores a response through the submission batcher. @returns its ID and key */
export async function respond(
  world: World,
  surveyId: number,
  draft: ResponseDraft = {},
): Promise<{ id: number; key: string }> {
  const snapshot = (await getSnapshot(world.em(), surveyId))!
  const key = draft.key ?? randomBytes(20)
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
    ...draft,
    key,
    answers: JSON.stringify(draft.answers ?? {}),
    createdAt: new Date(draft.createdAt ?? world.now),
  })
  if (id === 'stale') throw new Error('the survey changed while the test stored a response')
  return { id, key: key.toString('hex') }
}
