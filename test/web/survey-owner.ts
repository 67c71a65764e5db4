import { Visitor } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { surveyOf } from '../support/surveys.ts'
import type { Person, World } from '../support/world.ts'
import { everything } from './sample-surveys.ts'

/** An answer that would do harm on a page that does not escape it. */
export const HARM = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&'

/** What one respondent said to every type of question. */
export const FULL = {
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

/** Somebody signed in at the pages, and the survey with every type of question. */
export async function analyst(world: World): Promise<{ person: Person; browser: Visitor; id: number; top: string }> {
  const person = await world.person()
  const browser = new Visitor(world.base)
  await browser.signIn(person.actor.username, person.password)
  const { survey } = await surveyOf(world, person, everything)
  return { person, browser, id: survey.id, top: `/account/surveys/${survey.id}/responses/` }
}

/** The numbers of the responses that a list shows, in its order. */
export const listed = (text: string): number[] =>
  [...text.matchAll(/<th scope="row" role="rowheader"><a href="[^"]*">(\d+)</g)].map(([, id]) => Number(id))

/** Ten responses: every second incomplete, bread 0, 1, 2 in turn, a day apart from 2026-01-01. */
export async function ten(world: World, surveyId: number): Promise<number[]> {
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

/** Signs in the owner of a survey with eleven responses. @returns with the path of its reports */
export async function reportsPage(world: World) {
  const signedIn = await analyst(world)
  await ten(world, signedIn.id)
  await respond(world, signedIn.id, { answers: FULL, createdAt: '2026-01-11T12:00:00Z' })
  return { ...signedIn, root: `/account/surveys/${signedIn.id}/reports/` }
}
