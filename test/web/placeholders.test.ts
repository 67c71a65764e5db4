import { describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
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

/** Creates this survey with one response, and signs in its owner. */
async function signInOwner() {
  const person = await world.person()
  const browser = await signInAs(person)
  const { survey } = await addSurvey(person, structure)
  const { id } = await respond(world, survey.id, { answers: { name: 'Ada', bread: 0 } })
  return { id, textOf: async (path: string) => (await browser.get(`/account/surveys/${survey.id}/${path}`)).text }
}

describe('a title with a placeholder', () => {
  test('shows, in lists, reports and forms, the title of the question to which it refers', async () => {
    const { textOf } = await signInOwner()
    const list = await textOf('responses/?bread=0&view-pick=bread')
    expect(list).toContain('data-title="Which bread, ‹What is your name?›?"')
    expect(list).toContain('Which bread, ‹What is your name?›? is As ‹What is your name?› says')
    const report = await textOf('reports/all/?bread=0')
    expect(report).toContain('Which bread, ‹What is your name?›?</h2>')
    expect(report).toContain('As ‹What is your name?› says')
    for (const page of [list, report, await textOf('reports/new/'), await textOf('responses/download/')])
      expect(page).not.toContain('{{')
  })

  test('shows the answer on the page of a response', async () => {
    const { id, textOf } = await signInOwner()
    const page = await textOf(`responses/${id}/`)
    expect(page).toContain('<dt>Which bread, Ada?')
    expect(page).toContain('<h3>For Ada</h3>')
    expect(page).not.toContain('{{')
  })
})
