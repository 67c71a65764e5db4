import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey } from '../support/surveys.ts'
import type { Person, World } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

/** A text that would run a script on a page that does not escape it. */
export const XSS_TEXT = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&'

/** Answers to the survey `breakfastSurvey`. */
export const FULL_ANSWERS = {
  name: 'Ann',
  mail: 'ann@example.org',
  bread: 2,
  'bread\\other': 'Pumpernickel',
  with: [0, 2],
  toast: true,
  grid_0: 3,
  grid_1: 0,
  drops_1: 1,
  texts_0: 'at the baker’s',
  drop: 1,
  when: '06:30',
  source: 'leaflet',
  rank: [1, 0, 2],
  nps: 9,
}

/** Signs in the owner of the survey `breakfastSurvey`. @returns also the path of its responses as `root` */
export async function signInOwner(
  world: World,
): Promise<{ person: Person; browser: HttpBrowser; id: number; root: string }> {
  const person = await world.person()
  const browser = await signInAs(person)
  const { survey } = await addSurvey(person, breakfastSurvey)
  return { person, browser, id: survey.id, root: `/account/surveys/${survey.id}/responses/` }
}

/** Returns the IDs of the responses in the order of a list. */
export const responseIdsIn = (text: string): number[] =>
  [...text.matchAll(/<th scope="row" role="rowheader"><a href="[^"]*\/(\d+)\/[^"]*">\d+</g)].map(([, id]) => Number(id))

/**
 * Adds ten responses, one per day from 2026-01-01. The answers to bread are 0, 1, 2, 0, and so on. Every second
 * response is complete.
 *
 * @returns their IDs
 */
export async function addTenResponses(world: World, surveyId: number): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < 10; n += 1) {
    const { id } = await respond(world, surveyId, {
      completed: (n % 2) as 0 | 1,
      answers: { name: `Person ${n}`, bread: n % 3, with: [n % 4], nps: n },
      createdAt: `2026-01-${String(n + 1).padStart(2, '0')}T12:00:00Z`,
    })
    ids.push(id)
  }
  return ids
}

/** Signs in the owner of a survey with eleven responses. @returns also the path of its reports as `root` */
export async function signInToReports(world: World) {
  const owner = await signInOwner(world)
  await addTenResponses(world, owner.id)
  await respond(world, owner.id, { answers: FULL_ANSWERS, createdAt: '2026-01-11T12:00:00Z' })
  return { ...owner, root: `/account/surveys/${owner.id}/reports/` }
}
