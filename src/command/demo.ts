import { ConfigError } from '../config.ts'
import { toActor } from '../domain/account/account.ts'
import { issueApiKey } from '../domain/account/api-keys.ts'
import { createAccount } from '../domain/account/commands.ts'
import type { Actor, Context, PublicContext } from '../domain/context.ts'
import { fakeResponses } from '../domain/response/fake-responses.ts'
import { createSurvey } from '../domain/survey/commands.ts'
import { getSnapshot } from '../domain/survey/snapshot.ts'
import { seededRandom } from '../lib/random.ts'
import { randomCode } from '../lib/secrets.ts'
import { progressBar } from '../lib/terminal.ts'
import { withService } from './service.ts'

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
  { onProgress, isAdministrator = false }: { onProgress?: (stored: number) => void; isAdministrator?: boolean } = {},
): Promise<Demo> {
  const password = randomCode(16)
  const demo = await context.em.transactional(async (em) => {
    const inner = { ...context, em }
    const account = await createAccount(inner, {
      username,
      email: `${username}@example.org`,
      password,
      isDeveloper: true,
      isAdministrator,
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

/** The demonstration survey: five question types, two languages, a condition and a skip, on three pages. */
export const demoStructure = {
  title: { en: 'How do you take your tea?', fr: 'Comment prenez-vous votre thé ?' },
  description: { en: 'Three short pages; about a minute.', fr: 'Trois courtes pages ; environ une minute.' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    {
      type: 'page',
      children: [
        {
          idname: 'single-choice',
          id: 'drink',
          identifier: 'drink',
          title: { en: 'What do you drink in the morning?', fr: 'Que buvez-vous le matin ?' },
          children: [
            {
              type: 'single',
              required: true,
              choices: [
                { label: { en: 'Tea', fr: 'Du thé' } },
                { label: { en: 'Coffee', fr: 'Du café' } },
                { label: { en: 'Neither', fr: 'Ni l’un ni l’autre' } },
              ],
            },
          ],
        },
        {
          idname: 'multiple-choice',
          id: 'with',
          title: { en: 'What goes into it?', fr: 'Qu’y mettez-vous ?' },
          condition: { all: [{ question: 'drink', op: 'ne', value: 2 }] },
          children: [
            {
              type: 'multiple',
              choices: [
                { label: { en: 'Milk', fr: 'Du lait' } },
                { label: { en: 'Sugar', fr: 'Du sucre' } },
                { label: { en: 'Lemon', fr: 'Du citron' } },
                { label: { en: 'Something else', fr: 'Autre chose' }, other: true },
              ],
            },
          ],
        },
      ],
      skip: [{ when: { all: [{ question: 'drink', op: 'eq', value: 2 }] }, to: 3 }],
    },
    {
      type: 'page',
      children: [
        {
          idname: 'single-choice-grid',
          id: 'rate',
          title: { en: 'How important to you is …', fr: 'Quelle importance accordez-vous …' },
          choices: [
            { label: { en: 'Not at all', fr: 'Aucune' } },
            { label: { en: 'Somewhat', fr: 'Un peu' } },
            { label: { en: 'Very', fr: 'Beaucoup' } },
          ],
          children: [
            { type: 'single', label: { en: 'the taste', fr: 'au goût' } },
            { type: 'single', label: { en: 'the warmth', fr: 'à la chaleur' } },
            { type: 'single', label: { en: 'the company', fr: 'à la compagnie' } },
          ],
        },
        {
          idname: 'net-promoter',
          id: 'recommend',
          title: {
            en: 'You said “{{ drink }}”. How likely are you to recommend that to a friend?',
            fr: 'Vous avez répondu « {{ drink }} ». Le recommanderiez-vous à un ami ?',
          },
          children: [
            {
              type: 'net-promoter',
              leftLabel: { en: 'Not likely', fr: 'Pas du tout' },
              rightLabel: { en: 'Very likely', fr: 'Certainement' },
            },
          ],
        },
      ],
    },
    {
      type: 'page',
      children: [
        {
          idname: 'text-response',
          id: 'email',
          title: {
            en: 'Your email address, if we may contact you',
            fr: 'Votre adresse, si nous pouvons vous écrire',
          },
          children: [{ type: 'string', validation: { kind: 'email' } }],
        },
        {
          idname: 'text-response',
          id: 'words',
          title: { en: 'Anything else?', fr: 'Autre chose ?' },
          children: [{ type: 'string', lines: 4 }],
        },
      ],
    },
  ],
}

/** `seed [responses]`: creates a demonstration account with a survey and this number of responses. */
export async function runSeed(count: string): Promise<void> {
  const responses = Number(count)
  if (!Number.isInteger(responses) || responses < 0 || responses > 10_000_000)
    throw new ConfigError(
      `The number of responses must be from 0 to 10000000, not "${count}". Example: canvass seed 1000`,
    )
  await withService(async ({ orm, services }) => {
    const context = { em: orm.em.fork(), now: new Date(), services }
    const username = `demo-${randomCode(5).toLowerCase()}`
    const { password, apiKey, surveyId } = await createDemo(context, username, responses, {
      onProgress: progressBar('responses', responses),
    })
    console.log(`username   ${username}\npassword   ${password}\nAPI key    ${apiKey}\nsurvey     ${surveyId}`)
  })
}
