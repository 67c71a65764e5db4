import { describe, expect, test } from '@jest/globals'
import { signInAsNewUser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const LIST = '/account/surveys/'

async function signInWithSurveys() {
  const { person, browser } = await signInAsNewUser(world)
  return { person, browser, addSurvey: (name: string) => makeSurvey(person, { title: name }) }
}
const namesIn = (text: string) =>
  [...text.matchAll(/<th scope="row"><a href="[^"]*">([^<]*)</g)].map(([, name]) => name)

describe('the list of surveys', () => {
  test('lists the surveys of the user, newest first, twenty per page', async () => {
    const { browser, addSurvey } = await signInWithSurveys()
    await (await signInWithSurveys()).addSurvey('of another user')
    for (let n = 1; n <= 23; n += 1) await addSurvey(`Survey ${n}`)
    const first = await browser.get(LIST)
    expect(namesIn(first.text)).toHaveLength(20)
    expect(namesIn(first.text)[0]).toBe('Survey 23')
    expect(first.text).toContain('23 surveys')
    expect(namesIn((await browser.get(`${LIST}?page=2`)).text)).toEqual(['Survey 3', 'Survey 2', 'Survey 1'])
  })

  test('filters by state, and orders by name or by the last change', async () => {
    const { browser, person, addSurvey } = await signInWithSurveys()
    const [tea] = [await addSurvey('Tea'), await addSurvey('coffee')]
    await browser.post(`${LIST}new/`, { name: 'Water' })
    await browser.post(`${LIST}${tea}/live/`, {})
    const namesAt = async (query: string) => namesIn((await browser.get(LIST + query)).text)
    expect(await namesAt('?state=live')).toEqual(['coffee'])
    expect(await namesAt('?state=closed')).toEqual(['Tea'])
    expect(await namesAt('?state=draft')).toEqual(['Water'])
    expect(await namesAt('?state=open')).toEqual(['Water', 'coffee', 'Tea'])
    expect(await namesAt('?order=name')).toEqual(['coffee', 'Tea', 'Water'])
    world.now = new Date(world.now.getTime() + 60_000)
    await person.put(`/api/v3/surveys/${tea}/structure/`, { json: { title: 'Tea', form: [] } })
    expect(await namesAt('?order=edited')).toEqual(['Tea', 'Water', 'coffee'])
    const { text } = await browser.get(`${LIST}?state=draft&order=name`)
    expect(text).toContain('<option value="draft" selected>')
    expect(text).toContain(`<a href="${LIST}?order=name">Clear filters</a>`)
  })

  test('shows the day of the latest response to those who may view responses', async () => {
    const { browser, person } = await signInWithSurveys()
    const id = await makeSurvey(person, { title: 'Tea' })
    await respond(world, id, { createdAt: '2026-01-02T10:00:00Z' })
    await respond(world, id, { createdAt: '2026-01-03T10:00:00Z' })
    expect((await browser.get(LIST)).text).toContain('<time datetime="2026-01-03T10:00:00.000Z">3 Jan 2026</time>')
  })

  test('filters by name and tag', async () => {
    const { browser, addSurvey } = await signInWithSurveys()
    const teaId = await addSurvey('Tea & <biscuits>')
    await addSurvey('Coffee')
    expect(namesIn((await browser.get(`${LIST}?search=BISC`)).text)).toEqual(['Tea &amp; &lt;biscuits&gt;'])
    await browser.post(`${LIST}${teaId}/tags/`, { add: 'kitchen' })
    const tagged = (await browser.get(`${LIST}?tag=kitchen`)).text
    expect(namesIn(tagged)).toHaveLength(1)
    expect(tagged).toContain('<option value="kitchen" selected>kitchen</option>')
    expect((await browser.post(`${LIST}${teaId}/tags/`, { add: '  ' })).status).toBe(422)
    await browser.post(`${LIST}${teaId}/tags/`, { remove: 'kitchen' })
    expect((await browser.get(`${LIST}?tag=kitchen`)).text).toContain('No surveys found.')
  })

  test('shows the number of responses; its buttons open and close surveys and return to the filtered list', async () => {
    const { browser, person } = await signInWithSurveys()
    const form = [{ children: [{ idname: 'email', id: 'mail', title: 'Address?' }] }]
    const id = await makeSurvey(person, { title: 'Tea', form })
    await person.post(`/api/v3/surveys/${id}/responses/`, { json: {} })
    expect((await browser.get(LIST)).text).toContain('1 response<')
    const back = `${LIST}?search=tea`
    expect(await browser.post(`${LIST}${id}/live/`, { back })).toMatchObject({ status: 303, to: back })
    expect((await browser.get(back)).text).toContain('aria-label="Reopen Tea"')
    expect(await browser.post(`${LIST}${id}/live/`, { back: '//evil.example' })).toMatchObject({ to: LIST })
    expect((await browser.get(back)).text).toContain('aria-label="Close Tea"')
  })

  test('says of a survey that a program opened that it has no questions yet, and opens none without questions', async () => {
    const { browser, person, addSurvey } = await signInWithSurveys()
    const id = await addSurvey('Empty')
    const root = `${LIST}${id}/`
    expect((await browser.get(LIST)).text).toContain('<span class="tag missing">No questions yet</span>')
    expect((await browser.get(root)).text).toContain('>No questions yet</h2>')
    await browser.post(`${root}live/`, {})
    expect((await browser.get(LIST)).text).not.toContain('No questions yet')
    await browser.post(`${root}live/`, {})
    expect((await browser.get(LIST)).text).toContain(
      '“Empty” has no questions yet. Add a question, then open the survey.',
    )
    expect((await person.get(`/api/v3/surveys/${id}/`)).body).toMatchObject({ live: 0 })
    const form = [{ children: [{ idname: 'email', id: 'mail', title: 'Address?' }] }]
    await person.put(`/api/v3/surveys/${id}/structure/`, { json: { title: 'Empty', form } })
    await browser.post(`${root}live/`, {})
    const { text } = await browser.get(LIST)
    expect(text).toContain('aria-label="Close Empty"')
    expect(text).not.toContain('No questions yet')
  })

  test('duplicates a survey, and deletes one after a confirmation', async () => {
    const { browser, addSurvey } = await signInWithSurveys()
    const id = await addSurvey('Tea')
    await browser.post(`${LIST}${id}/duplicate/`)
    expect(namesIn((await browser.get(LIST)).text)).toEqual(['Tea (copy)', 'Tea'])
    expect((await browser.get(`${LIST}${id}/delete/`)).text).toContain('Delete “Tea”?')
    expect(namesIn((await browser.get(LIST)).text)).toHaveLength(2)
    expect((await browser.post(`${LIST}${id}/delete/`)).status).toBe(303)
    expect(namesIn((await browser.get(LIST)).text)).toEqual(['Tea (copy)'])
  })

  test('returns 404 for the survey of another user', async () => {
    const id = await (await signInWithSurveys()).addSurvey('Tea')
    const { browser } = await signInWithSurveys()
    for (const action of ['live', 'duplicate', 'delete'])
      expect((await browser.post(`${LIST}${id}/${action}/`)).status).toBe(404)
    expect((await browser.post(`${LIST}${id}/tags/`, { add: 'x' })).status).toBe(404)
    expect((await browser.get(`${LIST}${id}/delete/`)).status).toBe(404)
  })
})

describe('the page of a new survey', () => {
  test('creates a survey by name, from JSON or from a template', async () => {
    const { browser, person } = await signInWithSurveys()
    const structure = { title: 'From JSON', pages: [] }
    const template = await person.post('/api/v3/templates/', { json: { name: 'T', structure: { title: 'Templated' } } })
    await browser.post(`${LIST}new/`, { name: 'By name' })
    await browser.post(`${LIST}new/`, { structure: JSON.stringify(structure) })
    await browser.post(`${LIST}new/`, { template: String(template.body.id) })
    expect(namesIn((await browser.get(LIST)).text)).toEqual(['Templated', 'From JSON', 'By name'])
  })

  test('shows each error at its field and keeps the input', async () => {
    const { browser } = await signInWithSurveys()
    expect((await browser.post(`${LIST}new/`, {})).status).toBe(422)
    const invalid = await browser.post(`${LIST}new/`, { name: 'Tea', structure: '{"a":' })
    expect(invalid.status).toBe(422)
    expect(invalid.text).toContain('Structure is not valid JSON')
    expect(invalid.text).toContain('value="Tea"')
    expect((await browser.post(`${LIST}new/`, { structure: '[]' })).status).toBe(422)
    expect((await browser.post(`${LIST}new/`, { structure: '{}', template: '1' })).status).toBe(422)
    expect(namesIn((await browser.get(LIST)).text)).toEqual([])
  })
})
