import { randomKey } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import { fakeAnswers } from '../structure/fake-answers.ts'
import { scoreOf } from '../structure/score.ts'
import { toStored } from '../structure/stored.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { NewResponse } from './submit/submission-batcher.ts'

/** Number of responses that are submitted at the same time, so that they are stored in full batches. */
const CONCURRENT_SUBMISSIONS = 256
/** Age of the oldest generated response. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000

/** Generates a response. Nine out of ten generated responses are complete. */
function fakeResponse(snapshot: SurveySnapshot, now: Date, ageMs: number, random: () => number): NewResponse {
  const { questionnaire } = snapshot
  const answers = fakeAnswers(questionnaire, random)
  const complete = random() < 0.9
  return {
    surveyId: snapshot.id,
    revision: snapshot.revision,
    collectorId: snapshot.defaultCollector.id,
    key: randomKey(),
    completed: complete ? 1 : 0,
    answers: JSON.stringify(toStored(questionnaire, answers)),
    createdAt: new Date(now.getTime() - ageMs),
    locale: null,
    completionTime: complete ? 20 + Math.floor(random() * 200) : null,
    weightedScore: complete ? scoreOf(questionnaire, answers) : null,
    language: questionnaire.languages[Math.floor(random() * questionnaire.languages.length)]?.code ?? '',
    username: '',
    ipAddress: '',
    getVariables: null,
    referrer: null,
    pagepath: null,
    inviteCode: null,
    inviteEmail: null,
    inviteName: null,
    hasReservedId: snapshot.ownIdsFrom !== null,
  }
}

/**
 * Adds generated responses to a survey, with creation times in the last thirty days. The submission batcher stores
 * them.
 * @param onProgress called with the number of stored responses after each batch
 */
export async function fakeResponses(
  { now, services }: PublicContext,
  snapshot: SurveySnapshot,
  count: number,
  random: () => number,
  onProgress: (stored: number) => void = () => undefined,
): Promise<void> {
  for (let stored = 0; stored < count; ) {
    const size = Math.min(CONCURRENT_SUBMISSIONS, count - stored)
    const batch = Array.from({ length: size }, (_, i) =>
      fakeResponse(snapshot, now, MAX_AGE_MS * (1 - (stored + i) / count), random),
    )
    await Promise.all(batch.map((response) => services.submissionBatcher.submit(response)))
    stored += size
    onProgress(stored)
  }
}
