import { beforeEach, describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const world = useWorld()
let person: Person
let browser: HttpBrowser
let root: string
let api: string
let ids: number[]
let category: number

beforeEach(async () => {
  person = await world.person()
  browser = await signInAs(person)
  const { survey } = await addSurvey(person, breakfastSurvey)
  root = `/account/surveys/${survey.id}/responses/coding/`
  api = `/api/v3/surveys/${survey.id}/coding/`
  ids = []
  for (const name of ['Ann <b>', 'Ben', 'Anna']) ids.push((await respond(world, survey.id, { answers: { name } })).id)
  category = (await person.post(`${api}categories/`, { json: { name: 'Women' } })).body.id
})

const answers = async (): Promise<Record<string, string[]>> => {
  const { results } = (await person.get(`${api}answers/`)).body
  return Object.fromEntries(results.map(({ text, categories, none }: never) => [text, none ? ['none'] : categories]))
}
/** Returns the fields of the button in the last message that undoes the last change. */
function undoIn(text: string): [path: string, fields: Record<string, string>] {
  const form = /<form[^>]*action="([^"]*)"[^>]*>(?:(?!<\/form>).)*Undo/s.exec(text)!
  const fields = [...form[0].matchAll(/name="([^"]*)" value="([^"]*)"/gs)].map(([, name, value]) => [
    name!,
    unescapeHtml(value!),
  ])
  return [unescapeHtml(form[1]!), Object.fromEntries(fields.filter(([name]) => name !== '_csrf'))]
}

describe('the coding page', () => {
  test('lists the answers, escaped, with highlights of the searched text', async () => {
    const { text } = await browser.get(`${root}?text=ann`)
    expect(text).toContain('2 text answers found')
    expect(text).toContain('<mark>Ann</mark> &lt;b&gt;')
    expect(text).toContain('<mark>Ann</mark>a')
    expect(text).not.toContain('Ben')
  })

  test('adds and removes a category with the buttons of an answer, and undoes it', async () => {
    const answer = `${ids[0]} name`
    await browser.get(root)
    await browser.post(root, { answer, add: String(category) })
    expect((await answers())['Ann <b>']).toEqual([category])
    const page = await browser.get(root)
    expect(page.text).toContain(`name="remove" value="${category}"`)
    await browser.post(root, { answer, none: '1' })
    expect((await answers())['Ann <b>']).toEqual(['none'])
    await browser.post(...undoIn((await browser.get(root)).text))
    expect((await answers())['Ann <b>']).toEqual([category])
    await browser.get(root)
    await browser.post(root, { answer, remove: String(category) })
    await browser.post(...undoIn((await browser.get(root)).text))
    expect((await answers())['Ann <b>']).toEqual([category])
    await browser.post(root, { answer, none: '1' })
    await browser.post(root, { answer, none: '0' })
    expect((await answers())['Ann <b>']).toEqual([])
  })

  test('codes selected answers, and all answers that a search finds', async () => {
    await browser.get(root)
    const bulk = { category: String(category), bulk: 'add' }
    await browser.post(root, [...Object.entries(bulk), ['answer', `${ids[0]} name`], ['answer', `${ids[1]} name`]])
    expect(await answers()).toEqual({ Anna: [], Ben: [category], 'Ann <b>': [category] })
    await browser.post(...undoIn((await browser.get(root)).text))
    expect(await answers()).toEqual({ Anna: [], Ben: [], 'Ann <b>': [] })
    await browser.post(`${root}?text=ann`, { ...bulk, scope: 'found' })
    expect(await answers()).toEqual({ Anna: [category], Ben: [], 'Ann <b>': [category] })
    const none = await browser.post(root, bulk)
    expect(none.status).toBe(303)
    expect((await browser.get(root)).text).toContain('Select at least one answer.')
  })

  test('says that a text was changed, and confirms its coding', async () => {
    await browser.get(root)
    await browser.post(root, { answer: `${ids[1]} name`, add: String(category) })
    await person.put(`/api/v3/surveys/${/\d+/.exec(root)![0]}/responses/${ids[1]}/`, { json: { name: 'Berta' } })
    const changed = await browser.get(`${root}?coded=changed`)
    expect(changed.text).toContain('Text changed since')
    await browser.post(root, { answer: `${ids[1]} name`, confirm: String(category) })
    expect((await browser.get(`${root}?coded=changed`)).text).toContain('No answers match.')
  })

  test('offers no buttons to a colleague who may only view responses', async () => {
    const viewer = await world.person()
    const survey = Number(/\d+/.exec(root)![0])
    const { shareWith } = await import('../support/groups.ts')
    await shareWith(person, survey, viewer, 'view')
    const theirs = await signInAs(viewer)
    const { text } = await theirs.get(root)
    expect(text).toContain('3 text answers found')
    expect(text).not.toContain('class="code"')
    expect((await theirs.post(root, { answer: `${ids[0]} name`, add: String(category) })).status).toBe(403)
    expect((await theirs.get(`${root}frame/`)).text).not.toContain('New category')
  })
})

describe('the page of the coding frame', () => {
  test('creates, changes and deletes categories', async () => {
    const frame = `${root}frame/`
    await browser.get(frame)
    await browser.post(`${frame}categories/`, { name: 'Men', description: 'He' })
    const taken = await browser.post(`${frame}categories/`, { name: 'men' })
    expect(taken.status).toBe(422)
    await browser.post(`${frame}categories/${category}/`, { name: 'Ladies', description: '', colour: '#112233' })
    const { results } = (await person.get(`${api}categories/`)).body
    expect(results).toMatchObject([
      { name: 'Ladies', colour: '#112233' },
      { name: 'Men', description: 'He' },
    ])
    await browser.get(`${frame}categories/${category}/delete/`)
    await browser.post(`${frame}categories/${category}/delete/`, {})
    expect((await person.get(`${api}categories/`)).body.results).toHaveLength(1)
  })

  test('counts what a rule matches, creates it, and applies it in the background', async () => {
    const frame = `${root}frame/`
    await browser.get(frame)
    const rule = { text: 'ann', question: '', category: String(category), apply: '1' }
    const preview = await browser.post(`${frame}rules/`, { ...rule, preview: '1' })
    expect(preview.text).toContain('2 answers match.')
    expect((await person.get(`${api}rules/`)).body.results).toEqual([])
    await browser.post(`${frame}rules/`, rule)
    expect((await browser.get(frame)).text).toContain('is being applied')
    await world.runJobs()
    expect(await answers()).toEqual({ Anna: [category], Ben: [], 'Ann <b>': [category] })
    const [{ id }] = (await person.get(`${api}rules/`)).body.results
    await browser.post(`${frame}rules/${id}/apply/`, {})
    await browser.post(`${frame}rules/${id}/delete/`, {})
    expect((await browser.get(frame)).text).not.toContain('is being applied')
    expect((await browser.post(`${frame}rules/`, { ...rule, text: '' })).status).toBe(422)
  })

  test('opens a blind round, closes it, and shows the agreement', async () => {
    const frame = `${root}frame/`
    await browser.get(frame)
    await browser.post(`${frame}rounds/`, {})
    expect((await browser.get(root)).text).toContain('A blind round is open')
    await browser.post(root, { answer: `${ids[0]} name`, add: String(category) })
    const [{ id }] = (await person.get(`${api}rounds/`)).body.results
    const closed = await browser.post(`${frame}rounds/${id}/close/`, { adopt: 'agreed' })
    expect(closed.to).toBe(`${root}rounds/${id}/`)
    const { text } = await browser.get(`${root}rounds/${id}/`)
    expect(text).toContain('Krippendorff’s alpha')
    expect(text).toContain('Women')
    expect((await answers())['Ann <b>']).toEqual([category])
  })
})

describe('the page of frequent words', () => {
  test('lists words by language, with links to their answers', async () => {
    await respond(world, Number(/\d+/.exec(root)![0]), { answers: { name: 'Soup <i> soup' }, language: 'fr' })
    const { text } = await browser.get(`${root}words/`)
    expect(text).toContain('French')
    expect(text).toMatch(/href="[^"]*coding\/\?text=soup"[^>]*>\s*soup 1/)
    expect(text).not.toContain('<i>')
    expect((await browser.get(`${root}words/?question=name`)).text).toContain('text=anna&amp;question=name')
  })
})
