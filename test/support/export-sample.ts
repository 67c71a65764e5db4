import type { SurveySnapshot } from '../../src/domain/survey/snapshot.ts'
import { storeResponses, surveyWithQuestions } from './exports.ts'
import type { Person, World } from './world.ts'

const labels = (...texts: string[]) => texts.map((label) => ({ label }))
export const questions = [
  { idname: 'section-separator', title: 'Welcome' },
  { idname: 'text-response', id: 'name', title: { en: 'Your name', fr: 'Votre nom' }, identifier: 'who' },
  {
    idname: 'single-choice',
    id: 'colour',
    title: 'Colour',
    children: [
      {
        choices: [
          { label: { en: 'Red', fr: 'Rouge' }, score: 5 },
          { label: 'Blue', score: -2 },
          { label: 'Another', other: true },
        ],
      },
    ],
  },
  { idname: 'multiple-choice', id: 'drinks', title: 'Drinks', children: [{ choices: labels('Tea', '<b>Milk</b>') }] },
  {
    idname: 'single-choice-grid',
    id: 'rate',
    title: 'Rate us',
    choices: labels('Bad', 'Good'),
    children: [{ label: 'Service' }, { label: 'Food' }],
  },
  { idname: 'ranking', id: 'rank', title: 'Order', children: [{ choices: labels('A', 'B') }] },
  { idname: 'boolean-choice', id: 'again', title: 'Again?' },
  { idname: 'net-promoter', id: 'nps', title: 'Recommend?' },
]
const languages = [
  { code: 'en', name: 'English', isDefault: true },
  { code: 'fr', name: 'Français', isDefault: false },
]
/** The names of the question columns of the sample. */
export const KEYS = [
  'name',
  'colour',
  'colour\\other',
  'drinks\\0',
  'drinks\\1',
  'rate_0',
  'rate_1',
  'rank\\0',
  'rank\\1',
  'again',
  'nps',
]

/** A survey with three responses: complete, incomplete and terminated. */
export interface Sample {
  ann: Person
  survey: SurveySnapshot
  ids: number[]
  /** The key of the first response. */
  key: Buffer
}

/** Creates the sample. */
export async function exportSample(world: World): Promise<Sample> {
  const ann = await world.person({ username: 'ann' })
  const key = Buffer.alloc(20, 0xa7)
  const survey = await surveyWithQuestions(world, ann, 'How was it?', questions, { languages })
  const ids = await storeResponses(world, survey, [
    {
      key,
      answers: { name: 'Zoë, "Z"', colour: 0, drinks: [1, 0], rate_0: 1, rank: [1, 0], again: true, nps: 10 },
      createdAt: new Date('2026-01-10T08:09:07.900Z'),
      locale: 7,
      completionTime: 62,
      weightedScore: 2.5,
      language: 'en',
      username: 'zoe',
      ipAddress: '203.0.113.9',
      getVariables: 'a=1&b=2',
      referrer: 'https://example.org/?a,b',
      inviteCode: 'ABCD2345',
      inviteEmail: 'zoe@example.org',
      inviteName: 'Zoë Z',
    },
    {
      completed: 0,
      answers: {
        name: '<p>a < b</p>\nline 2',
        colour: 2,
        'colour\\other': '=1+1',
        drinks: [1],
        again: false,
        gone: 'kept, not shown',
      },
      createdAt: new Date('2026-01-11T23:59:59Z'),
    },
    { completed: 2, answers: {}, createdAt: new Date('2026-01-12T00:00:00Z') },
  ])
  return { ann, survey, ids, key }
}
