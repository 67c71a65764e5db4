import { beforeAll, describe, expect, test } from '@jest/globals'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let owner: Person
let browser: HttpBrowser

beforeAll(async () => {
  owner = await world.person()
  browser = await signInAs(owner)
})

async function deleteParty(): Promise<number> {
  const { survey } = await addSurvey(owner, { title: 'Party', form: [pageOf(text('q1'))] })
  await respond(world, survey.id, { answers: { q1: 'x' } })
  const { text: confirmation } = await browser.get(`/account/surveys/${survey.id}/delete/`)
  expect(confirmation).toContain('You can restore it for 30 days.')
  expect((await browser.post(`/account/surveys/${survey.id}/delete/`)).to).toBe('/account/surveys/')
  return survey.id
}

describe('the deleted surveys', () => {
  test('are listed with the number of their responses, and restored', async () => {
    const id = await deleteParty()
    const list = (await browser.get('/account/surveys/')).text
    expect(list).toContain('<a href="/account/surveys/trash/">Deleted surveys (1)</a>')
    expect(list).toContain(`action="/account/surveys/trash/${id}/restore/"`)
    const { text: trash } = await browser.get('/account/surveys/trash/')
    expect(trash).toMatch(/<strong>Party<\/strong>\s*<p class="soft">\s*1 response ·/)
    const { to } = await browser.post(`/account/surveys/trash/${id}/restore/`)
    expect(to).toBe(`/account/surveys/${id}/`)
    expect((await browser.get(to!)).text).toContain('“Party” has been restored.')
    expect((await browser.get('/account/surveys/trash/')).text).toContain('No deleted surveys.')
  })

  test('are erased after a confirmation, and are of nobody else', async () => {
    const id = await deleteParty()
    const other = await signInAs(await world.person())
    for (const path of [`trash/${id}/erase/`, `trash/${id}/restore/`])
      expect((await other.post(`/account/surveys/${path}`)).status).toBe(404)
    expect((await browser.get(`/account/surveys/trash/${id}/erase/`)).text).toContain('You cannot undo this.')
    expect((await browser.post(`/account/surveys/trash/${id}/erase/`)).to).toBe('/account/surveys/trash/')
    expect((await browser.get(`/account/surveys/trash/${id}/erase/`)).status).toBe(404)
    expect((await owner.get('/api/v3/deleted-surveys/')).body.count).toBe(0)
  })
})
