import { toActor } from '../domain/account/account.ts'
import { issueApiKey } from '../domain/account/api-keys.ts'
import { createAccount } from '../domain/account/commands.ts'
import type { Actor, Context, PublicContext } from '../domain/context.ts'
import { fakeResponses } from '../domain/response/fake-responses.ts'
import { createSurvey } from '../domain/survey/commands.ts'
import { getSnapshot } from '../domain/survey/snapshot.ts'
import { seededRandom } from '../lib/random.ts'
import { randomCode } from '../lib/secrets.ts'
import { demoStructure } from './demo-survey.ts'

export interface Demo {
  actor: Actor
  password: string
  apiKey: string
  surveyId: number
}

/**
 * Creates an account, a survey and its first responses.
 * @returns the account, the survey and the secrets, which cannot be read again
 */
export async function createDemo(
  context: PublicContext,
  username: string,
  responses: number,
  onProgress?: (stored: number) => void,
): Promise<Demo> {
  const password = randomCode(16)
  const demo = await context.em.transactional(async (em) => {
    const inner = { ...context, em }
    const account = await createAccount(inner, {
      username,
      email: `${username}@example.org`,
      password,
      isDeveloper: true,
    })
    const apiKey = await issueApiKey(inner, account)
    const owner: Context = { ...inner, actor: toActor(account) }
    const survey = await createSurvey(owner, { structure: demoStructure })
    return { actor: owner.actor, password, apiKey, surveyId: survey.id }
  })
  const snapshot = (await getSnapshot(context.em.fork(), demo.surveyId))!
  await fakeResponses(context, snapshot, responses, seededRandom(demo.surveyId), onProgress)
  return demo
}
