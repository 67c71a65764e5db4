import { expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { pageOf, surveyOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const structure = {
  title: 'Breakfast',
  form: [
    pageOf({ ...text('name'), title: 'What is your name?' }),
    {
      ...pageOf({
        idname: 'single-choice',
        id: 'bread',
        title: 'Which bread, {{ name }}?',
        children: [{ type: 'single', choices: [{ label: 'As {{ name }} says' }, { label: 'Rye' }] }],
      }),
      title: 'For {{ name }}',
    },
  ],
}

/** The pages of somebody with one response to this survey. */
async function analyst() {
  const person = await world.person()
  const browser = new Visitor(world.base)
  await browser.signIn(person.actor.username, person.password)
  const { survey } = await surveyOf(world, person, structure)
  const { id } = await respond(world, survey.id, { answers: { name: 'Ada', bread: 0 } })
  return { id, read: async (path: string) => (await browser.get(`/account/surveys/${survey.id}/${path}`)).text }
}

test('where there is no response, a title that repeats an answer says which', async () => {
  const { read } = await analyst()
  const list = await read('responses/?bread=0&view-pick=bread')
  expect(list).toContain('data-title="Which bread, ‹What is your name?›?"')
  expect(list).toContain('Which bread, ‹What is your name?›? is As ‹What is your name?› says')
  const report = await read('reports/all/?bread=0')
  expect(report).toContain('Which bread, ‹What is your name?›?</h2>')
  expect(report).toContain('As ‹What is your name?› says')
  for (const page of [list, report, await read('reports/new/'), await read('responses/download/')])
    expect(page).not.toContain('{{')
})

test('a response of its own is told with what was answered in it', async () => {
  const { id, read } = await analyst()
  const page = await read(`responses/${id}/`)
  expect(page).toContain('<dt>Which bread, Ada?')
  expect(page).toContain('<h3>For Ada</h3>')
  expect(page).not.toContain('{{')
})
