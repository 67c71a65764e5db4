import { describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const TEA = {
  title: 'Tea',
  form: [
    { children: [{ idname: 'text-response', id: 'why', title: 'Why?', children: [{ required: true }] }] },
    { children: [{ idname: 'boolean-choice', id: 'milk', title: 'Milk <always>?' }] },
  ],
}

/** Signs in the owner of a new survey, and opens the structure editor. */
async function openEditor(structure: object = TEA) {
  const person = await world.person()
  const id = await makeSurvey(person, structure)
  const browser = await signInAs(person)
  const root = `/account/surveys/${id}/edit/json/`
  const stored = async () => (await person.get(`/api/v3/surveys/${id}/structure/`)).body
  return { person, browser, root, id, stored, page: await browser.get(root) }
}

const textIn = (page: { text: string }) => unescapeHtml(/<textarea[^>]*>\n([\s\S]*)<\/textarea>/.exec(page.text)![1]!)
const errorsIn = (page: { text: string }) =>
  [...page.text.matchAll(/<strong>Line (\d+)<\/strong>(?: <code>([^<]*)<\/code>)? ([^<]*)</g)].map(
    ([, line, pointer, message]) => [Number(line), pointer, unescapeHtml(message!)],
  )

describe('the structure editor without scripts', () => {
  test('shows the stored structure with an indentation of two spaces', async () => {
    const { page, stored } = await openEditor()
    expect(page.status).toBe(200)
    expect(JSON.parse(textIn(page))).toEqual(await stored())
    expect(textIn(page)).toContain('\n  "form": [\n    {')
    expect(page.text).toContain('name="version" value="1"')
  })

  test('shows an error with its line, keeps the text, and saves the corrected text as a version', async () => {
    const { browser, root, page, stored } = await openEditor()
    const original = await stored()
    const invalid = textIn(page).replace('"boolean-choice"', '""').replace('"Why?"', '7')
    const rejected = await browser.post(root, { version: '1', structure: invalid.replaceAll('\n', '\r\n') })
    expect(rejected.status).toBe(422)
    expect(textIn(rejected)).toBe(invalid)
    const line = (needle: string) => invalid.slice(0, invalid.indexOf(needle)).split('\n').length
    expect(errorsIn(rejected)).toEqual([
      [line('"en": 7'), '/form/0/children/0/title/en', 'must be a string'],
      [line('"idname": ""'), '/form/1/children/0/idname', 'is required'],
    ])
    expect(await stored()).toEqual(original)
    const corrected = invalid
      .replace('"idname": ""', '"idname": "boolean-choice"')
      .replace('"en": 7', '"en": "Why not?"')
    const saved = await browser.post(root, { version: '1', structure: corrected })
    expect([saved.status, saved.to]).toEqual([303, root])
    const after = await browser.get(root)
    expect(after.text).toContain('Version 2 published.')
    expect((await stored()).form[0].children[0].title).toEqual({ en: 'Why not?' })
  })

  test('shows the line of a syntax error', async () => {
    const { browser, root } = await openEditor()
    const rejected = await browser.post(root, { version: '1', structure: '{\n  "title": "x",\n}' })
    expect(errorsIn(rejected)).toEqual([
      [3, undefined, 'Expected a member: "name": value. Remove the comma after the last member.'],
    ])
    const duplicate = await browser.post(root, { version: '1', structure: '{"title": "a",\n"title": "b"}' })
    expect(errorsIn(duplicate)).toEqual([[2, undefined, 'Duplicate member: "title". Remove or rename one of them.']])
  })

  test('creates no version for an unchanged structure', async () => {
    const { browser, root, page } = await openEditor()
    await browser.post(root, { version: '1', structure: JSON.stringify(TEA) })
    expect((await browser.get(root)).text).toContain('No changes to publish. Version 1 is identical.')
    expect(textIn(page)).toBe(textIn(await browser.get(root)))
  })

  test('returns 409 and shows both versions if another author has saved meanwhile', async () => {
    const { browser, root, page, stored, id, person } = await openEditor()
    const firstEdit = textIn(page).replace('"Why?"', '"First edit?"')
    const secondEdit = textIn(page).replace('"Milk <always>?"', '"Second <b>?"')
    await browser.post(root, { version: '1', structure: firstEdit })
    const conflict = await browser.post(root, { version: '1', structure: secondEdit })
    expect(conflict.status).toBe(409)
    expect(conflict.text).toContain(`${person.actor.username} saved version 2`)
    expect(textIn(conflict)).toBe(secondEdit)
    expect(conflict.text).toMatch(/class="removed"[\s\S]*"First edit\?"|class="removed"[\s\S]*&quot;First edit\?&quot;/)
    expect(conflict.text).toMatch(/class="added"[\s\S]*Second &lt;b&gt;\?/)
    expect(conflict.text).toContain('name="version" value="2"')
    expect((await stored()).form[0].children[0].title.en).toBe('First edit?')
    await browser.post(root, { version: '2', structure: secondEdit })
    expect((await stored()).form[1].children[0].title.en).toBe('Second <b>?')
    const versions = await person.get(`/api/v3/surveys/${id}/versions/2/`)
    expect(versions.body.structure.form[0].children[0].title.en).toBe('First edit?')
  })

  test('saves only one of several simultaneous versions', async () => {
    const { browser, root, page } = await openEditor()
    const replies = await Promise.all(
      ['A', 'B', 'C'].map((word) =>
        browser.post(root, { version: '1', structure: textIn(page).replace('"Why?"', `"${word}"`) }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 409, 409])
  })

  test('validates a structure without saving it', async () => {
    const { browser, root, stored } = await openEditor()
    const original = await stored()
    const { text } = await browser.post(`${root}check/`, { structure: '{\n"title": 5 }' })
    expect(JSON.parse(text)).toEqual({
      version: 1,
      warnings: [],
      errors: [expect.objectContaining({ pointer: '/title', line: 2, column: 10, from: 11, to: 12 })],
    })
    expect(JSON.parse((await browser.post(`${root}check/`, { structure: '{"title":"x"}' })).text).errors).toEqual([])
    expect(await stored()).toEqual(original)
  })

  test('saves misspelt types and members and lists them as warnings', async () => {
    const { browser, root, page } = await openEditor()
    const misspelt = textIn(page)
      .replace('boolean-choice', 'bolean-choice')
      .replace('"required": true', '"requird": true')
    const { warnings } = JSON.parse((await browser.post(`${root}check/`, { structure: misspelt })).text)
    const line = misspelt.slice(0, misspelt.indexOf('bolean')).split('\n').length
    const message =
      '“bolean-choice” is not a known question type. Respondents see only its title and description. Did you mean “boolean-choice”?'
    expect(warnings).toEqual([
      expect.objectContaining({
        pointer: '/form/0/children/0/children/0/requird',
        message: '“requird” has no effect. Did you mean “required”?',
      }),
      expect.objectContaining({ line, pointer: '/form/1/children/0/idname', message }),
    ])
    await browser.post(root, { version: '1', structure: misspelt })
    const saved = await browser.get(root)
    expect(saved.text).toContain('Version 2 published. See the warnings below.')
    expect(saved.text).toContain('<h2>2 warnings</h2>')
    expect(unescapeHtml(saved.text)).toContain(message)
  })
})

describe('the structure editor for a member of a group', () => {
  const addEditorMember = async (roles: string) => {
    const { person, id, root } = await openEditor()
    const member = await world.person()
    await shareWith(person, id, member, roles)
    return { browser: await signInAs(member), root }
  }

  test('is read-only with the role Test, and returns 403 with Analyze and 404 without a role', async () => {
    const tester = await addEditorMember('Test')
    const page = await tester.browser.get(tester.root)
    expect(page.status).toBe(200)
    expect(page.text).toContain(' readonly')
    expect(page.text).not.toContain('>Publish<')
    expect((await tester.browser.get(`${tester.root}../preview/`)).status).toBe(200)
    expect((await tester.browser.post(tester.root, { version: '1', structure: '{"title":"x"}' })).status).toBe(403)
    expect((await tester.browser.get(`${tester.root}../versions/`)).status).toBe(403)
    const analyst = await addEditorMember('Analyze')
    expect((await analyst.browser.get(analyst.root)).status).toBe(403)
    const other = await signInAs(await world.person())
    expect((await other.get(tester.root)).status).toBe(404)
    expect((await other.post(`${tester.root}../preview/`, { structure: '{"title":"x"}' })).status).toBe(404)
  })

  test('saves and shows versions with the role Edit', async () => {
    const editor = await addEditorMember('Edit')
    const structure = '{"title":"x","form":[{"children":[{"idname":"email","id":"q","title":"Address?"}]}]}'
    const saved = await editor.browser.post(editor.root, { version: '1', structure })
    expect(saved.status).toBe(303)
    expect((await editor.browser.get(`${editor.root}../versions/`)).text).toContain('Version 2')
  })
})
