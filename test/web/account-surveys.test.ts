import { describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const LIST = '/account/surveys/'

async function signedIn() {
  const person = await world.person()
  const browser = new Visitor(world.base)
  await browser.signIn(person.actor.username, person.password)
  const survey = async (name: string) =>
    (await person.post('/api/v3/surveys/', { json: { name } })).body as { id: number }
  return { person, browser, survey }
}
const shown = (text: string) => [...text.matchAll(/<h2><a href="[^"]*">([^<]*)</g)].map(([, name]) => name)

describe('the list of surveys', () => {
  test('lists the user’s surveys, newest first, twenty on a page', async () => {
    const { browser, survey } = await signedIn()
    await (await signedIn()).survey('of somebody else')
    for (let n = 1; n <= 23; n += 1) await survey(`Survey ${n}`)
    const first = await browser.get(LIST)
    expect(shown(first.text)).toHaveLength(20)
    expect(shown(first.text)[0]).toBe('Survey 23')
    expect(first.text).toContain('23 surveys')
    expect(shown((await browser.get(`${LIST}?page=2`)).text)).toEqual(['Survey 3', 'Survey 2', 'Survey 1'])
  })

  test('filters by name and tag', async () => {
    const { browser, survey } = await signedIn()
    const tea = await survey('Tea & <biscuits>')
    await survey('Coffee')
    expect(shown((await browser.get(`${LIST}?search=BISC`)).text)).toEqual(['Tea &amp; &lt;biscuits&gt;'])
    await browser.post(`${LIST}${tea.id}/tags/`, { add: 'kitchen' })
    expect(shown((await browser.get(`${LIST}?tag=kitchen`)).text)).toHaveLength(1)
    expect((await browser.post(`${LIST}${tea.id}/tags/`, { add: '  ' })).status).toBe(422)
    await browser.post(`${LIST}${tea.id}/tags/`, { remove: 'kitchen' })
    expect((await browser.get(`${LIST}?tag=kitchen`)).text).toContain('No surveys found.')
  })

  test('shows the number of responses, opens and closes surveys, and returns to the same page', async () => {
    const { browser, survey, person } = await signedIn()
    const { id } = await survey('Tea')
    await person.post(`/api/v3/surveys/${id}/responses/`, { json: {} })
    expect((await browser.get(LIST)).text).toContain('1 response,')
    const back = `${LIST}?search=tea`
    expect(await browser.post(`${LIST}${id}/live/`, { back })).toMatchObject({ status: 303, to: back })
    expect((await browser.get(back)).text).toMatch(/aria-checked="false"/)
    expect(await browser.post(`${LIST}${id}/live/`, { back: '//evil.example' })).toMatchObject({ to: LIST })
    expect((await browser.get(back)).text).toMatch(/aria-checked="true"/)
  })

  test('duplicates a survey, and asks before it deletes one', async () => {
    const { browser, survey } = await signedIn()
    const { id } = await survey('Tea')
    await browser.post(`${LIST}${id}/duplicate/`)
    expect(shown((await browser.get(LIST)).text)).toEqual(['Tea (copy)', 'Tea'])
    expect((await browser.get(`${LIST}${id}/delete/`)).text).toContain('Delete “Tea”?')
    expect(shown((await browser.get(LIST)).text)).toHaveLength(2)
    expect((await browser.post(`${LIST}${id}/delete/`)).status).toBe(303)
    expect(shown((await browser.get(LIST)).text)).toEqual(['Tea (copy)'])
  })

  test('returns 404 for the survey of another user', async () => {
    const { id } = await (await signedIn()).survey('Tea')
    const { browser } = await signedIn()
    for (const action of ['live', 'duplicate', 'delete'])
      expect((await browser.post(`${LIST}${id}/${action}/`)).status).toBe(404)
    expect((await browser.post(`${LIST}${id}/tags/`, { add: 'x' })).status).toBe(404)
    expect((await browser.get(`${LIST}${id}/delete/`)).status).toBe(404)
  })
})

describe('the page of a new survey', () => {
  test('creates a survey by name, from JSON or from a template', async () => {
    const { browser, person } = await signedIn()
    const structure = { title: 'From JSON', pages: [] }
    const template = await person.post('/api/v3/templates/', { json: { name: 'T', structure: { title: 'Templated' } } })
    await browser.post(`${LIST}new/`, { name: 'By name' })
    await browser.post(`${LIST}new/`, { structure: JSON.stringify(structure) })
    await browser.post(`${LIST}new/`, { template: String(template.body.id) })
    expect(shown((await browser.get(LIST)).text)).toEqual(['Templated', 'From JSON', 'By name'])
  })

  test('shows errors at the field and keeps the input', async () => {
    const { browser } = await signedIn()
    expect((await browser.post(`${LIST}new/`, {})).status).toBe(422)
    const broken = await browser.post(`${LIST}new/`, { name: 'kept', structure: '{"a":' })
    expect(broken.status).toBe(422)
    expect(broken.text).toContain('Structure is not valid JSON')
    expect(broken.text).toContain('value="kept"')
    expect((await browser.post(`${LIST}new/`, { structure: '[]' })).status).toBe(422)
    expect((await browser.post(`${LIST}new/`, { structure: '{}', template: '1' })).status).toBe(422)
    expect(shown((await browser.get(LIST)).text)).toEqual([])
  })
})
