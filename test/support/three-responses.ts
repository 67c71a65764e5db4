import { respond } from './respondents.ts'
import type { World } from './world.ts'

/**
 * Stores three responses to the survey of colours.ts with different values for every filter. `second` has all metadata.
 */
export async function threeResponses(world: World, survey: number) {
  const first = await respond(world, survey, {
    completed: 0,
    createdAt: '2024-01-30T23:59:59.999Z',
    answers: { name: 'Ann', one: 0 },
  })
  const second = await respond(world, survey, {
    completed: 1,
    createdAt: '2024-01-31T00:00:00Z',
    answers: {
      name: '12',
      one: 1,
      many: [0, 2],
      'many\\other': 'teal',
      sure: true,
      when: '2024-05-06T07:08',
      'a=b': 'x>y',
      rank: [2, 0, 1],
      grid_0: 2,
      nps: 9,
      gone: 'x',
    },
    getVariables: 'source=mail&tag=a&tag=b',
    inviteCode: 'K7QM2WXA',
    inviteEmail: 'zoe@example.org',
    inviteName: 'Zoe',
    weightedScore: 7.5,
    completionTime: 72,
    language: 'fr',
    locale: 3,
    username: 'zoe',
    referrer: 'https://example.org/',
    pagepath: '1',
  })
  const third = await respond(world, survey, {
    completed: 2,
    createdAt: '2024-02-01T00:00:00Z',
    answers: { name: 'ann', one: 2 },
  })
  await world
    .em()
    .getConnection()
    .execute(`update response set updated_at = '2024-03-01T10:00:00Z' where id = ${third.id}`)
  return { first, second, third }
}
