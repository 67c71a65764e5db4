import { describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()

const TEA = {
  title: 'Tea',
  form: [
    { children: [{ idname: 'text-response', id: 'why', title: 'Why?', children: [{ required: true }] }] },
    { children: [{ idname: 'boolean-choice', id: 'milk', title: 'Milk <always>?' }] },
  ],
}

async function open(person: Person) {
  const browser = new Visitor(world.base)
  await browser.signIn(person.actor.username, person.password)
  return browser
}

/** An owner in front of the editor of a new survey. */
async function editing(structure: object = TEA) {
  const person = await world.person()
  const id = await makeSurvey(person, structure)
  const browser = await open(person)
  const root = `/account/surveys/${id}/edit/`
  const stored = async () => (await person.get(`/api/v3/surveys/${id}/structure/`)).body
  return { person, browser, root, id, stored, page: await browser.get(root) }
}

const plain = (markup: string) =>
  markup
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const typedIn = (page: { text: string }) => plain(/<textarea[^>]*>\n([\s\S]*)<\/textarea>/.exec(page.text)![1]!)
const faultsIn = (page: { text: string }) =>
  [...page.text.matchAll(/<strong>Line (\d+)<\/strong>(?: <code>([^<]*)<\/code>)? ([^<]*)</g)].map(
    ([, line, pointer, message]) => [Number(line), pointer, plain(message!)],
  )

describe('the structure editor without scripts', () => {
  test('shows the stored structure with an indentation of two spaces', async () => {
    const { page, stored } = await editing()
    expect(page.status).toBe(200)
    expect(JSON.parse(typedIn(page))).toEqual(await stored())
    expect(typedIn(page)).toContain('\n  "form": [\n    {')
    expect(page.text).toContain('name="version" value="1"')
  })

  test('shows an error with its line, keeps the text, and saves the corrected text as a version', async () => {
    const { browser, root, page, stored } = await editing()
    const before = await stored()
    const broken = typedIn(page).replace('"boolean-choice"', '""').replace('"Why?"', '7')
    const refused = await browser.post(root, { version: '1', structure: broken.replaceAll('\n', '\r\n') })
    expect(refused.status).toBe(422)
    expect(typedIn(refused)).toBe(broken)
    const line = (needle: string) => broken.slice(0, broken.indexOf(needle)).split('\n').length
    expect(faultsIn(refused)).toEqual([
      [line('"en": 7'), '/form/0/children/0/title/en', 'must be a string'],
      [line('"idname": ""'), '/form/1/children/0/idname', 'is required'],
    ])
    expect(await stored()).toEqual(before)
    const mended = broken.replace('"idname": ""', '"idname": "boolean-choice"').replace('"en": 7', '"en": "Why not?"')
    const saved = await browser.post(root, { version: '1', structure: mended })
    expect([saved.status, saved.to]).toEqual([303, root])
    const after = await browser.get(root)
    expect(after.text).toContain('Version 2 saved.')
    expect((await stored()).form[0].children[0].title).toEqual({ en: 'Why not?' })
  })

  test('shows the line of a syntax error', async () => {
    const { browser, root } = await editing()
    const refused = await browser.post(root, { version: '1', structure: '{\n  "title": "x",\n}' })
    expect(faultsIn(refused)).toEqual([
      [3, undefined, 'Expected a member: "name": value. Remove the comma after the last member.'],
    ])
    const twice = await browser.post(root, { version: '1', structure: '{"title": "a",\n"title": "b"}' })
    expect(faultsIn(twice)).toEqual([[2, undefined, 'Duplicate member: "title". Remove or rename one of them.']])
  })

  test('creates no version for an unchanged structure', async () => {
    const { browser, root, page } = await editing()
    await browser.post(root, { version: '1', structure: JSON.stringify(TEA) })
    expect((await browser.get(root)).text).toContain('No changes to save. Version 1 is identical.')
    expect(typedIn(page)).toBe(typedIn(await browser.get(root)))
  })

  test('shows both versions to the second of two authors and loses nothing', async () => {
    const { browser, root, page, stored, id, person } = await editing()
    const theirs = typedIn(page).replace('"Why?"', '"Theirs?"')
    const mine = typedIn(page).replace('"Milk <always>?"', '"Mine <b>?"')
    await browser.post(root, { version: '1', structure: theirs })
    const late = await browser.post(root, { version: '1', structure: mine })
    expect(late.status).toBe(409)
    expect(late.text).toContain(`${person.actor.username} saved version 2`)
    expect(typedIn(late)).toBe(mine)
    expect(late.text).toMatch(/class="removed"[\s\S]*"Theirs\?"|class="removed"[\s\S]*&quot;Theirs\?&quot;/)
    expect(late.text).toMatch(/class="added"[\s\S]*Mine &lt;b&gt;\?/)
    expect(late.text).toContain('name="version" value="2"')
    expect((await stored()).form[0].children[0].title.en).toBe('Theirs?')
    await browser.post(root, { version: '2', structure: mine })
    expect((await stored()).form[1].children[0].title.en).toBe('Mine <b>?')
    const versions = await person.get(`/api/v3/surveys/${id}/versions/2/`)
    expect(versions.body.structure.form[0].children[0].title.en).toBe('Theirs?')
  })

  test('saves only one of two simultaneous versions', async () => {
    const { browser, root, page } = await editing()
    const replies = await Promise.all(
      ['A', 'B', 'C'].map((word) =>
        browser.post(root, { version: '1', structure: typedIn(page).replace('"Why?"', `"${word}"`) }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 409, 409])
  })

  test('checks a text as saving does, without storing it', async () => {
    const { browser, root, stored } = await editing()
    const before = await stored()
    const { text } = await browser.post(`${root}check/`, { structure: '{\n"title": 5 }' })
    expect(JSON.parse(text)).toEqual({
      version: 1,
      warnings: [],
      errors: [expect.objectContaining({ pointer: '/title', line: 2, column: 10, from: 11, to: 12 })],
    })
    expect(JSON.parse((await browser.post(`${root}check/`, { structure: '{"title":"x"}' })).text).errors).toEqual([])
    expect(await stored()).toEqual(before)
  })

  test('saves misspelt types and members and lists them as warnings', async () => {
    const { browser, root, page } = await editing()
    const slip = typedIn(page).replace('boolean-choice', 'bolean-choice').replace('"required": true', '"requird": true')
    const { warnings } = JSON.parse((await browser.post(`${root}check/`, { structure: slip })).text)
    const line = slip.slice(0, slip.indexOf('bolean')).split('\n').length
    const message = '“bolean-choice” is not a known question type. It is shown as text. Did you mean “boolean-choice”?'
    expect(warnings).toEqual([
      expect.objectContaining({
        pointer: '/form/0/children/0/children/0/requird',
        message: '“requird” has no effect. Did you mean “required”?',
      }),
      expect.objectContaining({ line, pointer: '/form/1/children/0/idname', message }),
    ])
    await browser.post(root, { version: '1', structure: slip })
    const saved = await browser.get(root)
    expect(saved.text).toContain('Version 2 saved. See the warnings below.')
    expect(saved.text).toContain('<h2>2 warnings</h2>')
    expect(plain(saved.text)).toContain(message)
  })
})

describe('the role', () => {
  const member = async (roles: string) => {
    const { person, id, root } = await editing()
    const friend = await world.person()
    const { id: group } = (await person.post('/api/v2/groups/', { json: { name: 'Team' } })).body
    await person.put(`/api/v2/groups/${group}/members/`, { json: { email: friend.actor.email, roles } })
    await person.put(`/api/v3/surveys/${id}/groups/`, { json: { group } })
    return { browser: await open(friend), root }
  }

  test('Test shows the editor read-only; Analyze gets 403 and other users get 404', async () => {
    const tester = await member('Test')
    const page = await tester.browser.get(tester.root)
    expect(page.status).toBe(200)
    expect(page.text).toContain(' readonly')
    expect(page.text).not.toContain('>Save<')
    expect((await tester.browser.get(`${tester.root}preview/`)).status).toBe(200)
    expect((await tester.browser.post(tester.root, { version: '1', structure: '{"title":"x"}' })).status).toBe(403)
    expect((await tester.browser.get(`${tester.root}versions/`)).status).toBe(403)
    const analyst = await member('Analyze')
    expect((await analyst.browser.get(analyst.root)).status).toBe(403)
    const stranger = await open(await world.person())
    expect((await stranger.get(tester.root)).status).toBe(404)
    expect((await stranger.post(`${tester.root}preview/`, { structure: '{"title":"x"}' })).status).toBe(404)
  })

  test('Edit opens every page of the tab', async () => {
    const editor = await member('Edit')
    const saved = await editor.browser.post(editor.root, { version: '1', structure: '{"title":"x"}' })
    expect(saved.status).toBe(303)
    expect((await editor.browser.get(`${editor.root}versions/`)).text).toContain('Version 2')
  })
})
