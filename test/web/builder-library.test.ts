import { describe, expect, test } from '@jest/globals'
import { addMember, makeGroup } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

const TARGET = { title: 'Target', form: [{ children: [{ idname: 'text-response', id: 'x', title: 'X' }] }] }

describe('the question library in the builder', () => {
  const world = useWorld()

  test('saves a question from its card, and inserts it into another survey, without JavaScript', async () => {
    const { person, browser, root, page } = await openBuilder(world)
    expect(page.text).toContain(`${root}library/save/?question=milk`)
    expect(page.text).toContain(`${root}library/?page=2`)
    expect((await browser.get(`${root}library/?page=1`)).text).toContain('The library is empty.')
    expect((await browser.get(`${root}library/save/?question=drink`)).text).toContain('value="Which drink?"')
    const saved = await browser.post(`${root}library/save/?question=drink`, { name: 'Drinks <all>', group: '' })
    expect(saved.to).toBe(`${root}#question-drink`)
    const lossy = await browser.post(`${root}library/save/?question=milk`, { name: '', group: '' })
    expect(lossy.text).toContain('Not saved with “Milk?”: “Show if”, because it needs another question.')

    const target = await makeSurvey(person, TARGET)
    const path = `/account/surveys/${target}/edit/`
    const list = (await browser.get(`${path}library/?page=1&search=drinks`)).text
    expect(list).toContain('Drinks &lt;all&gt;')
    expect(list).not.toContain('Milk?')
    const [, entry = ''] = /name="entry" value="(\d+)"/.exec(list) ?? []
    const inserted = await browser.post(`${path}library/?page=1`, { entry })
    expect(inserted.to).toMatch(new RegExp(`^${path}#question-`))
    const { structure } = (await person.get(`/api/v3/surveys/${target}/draft/`)).body
    expect(structure.form[0].children[1].title).toEqual({ en: 'Which drink?' })
    expect((await browser.get(path)).text).toContain('Question inserted.')
    const before = await browser.post(`${path}library/?page=1`, { entry, place: '1:0' })
    expect(before.status).toBe(303)
    const ordered = (await person.get(`/api/v3/surveys/${target}/draft/`)).body.structure.form[0].children
    expect(ordered.map((one: { title: object }) => Object.values(one.title)[0])).toEqual([
      'Which drink?',
      'X',
      'Which drink?',
    ])
    for (const place of ['1:9', '0', '2', 'x']) {
      const { status, text } = await browser.post(`${path}library/?page=1`, { entry, place })
      expect({ place, status, isTold: text.includes('role="alert"') }).toEqual({ place, status: 422, isTold: true })
    }
    await browser.post(`${path}library/delete/?page=1`, { entry })
    expect((await browser.get(`${path}library/?page=1&search=drinks`)).text).toContain(
      'No questions match your search.',
    )
  })

  test('renames a question, and previews it in the theme of the survey', async () => {
    const { browser, root } = await openBuilder(world)
    await browser.post(`${root}library/save/?question=drink`, { name: 'Drinks', group: '' })
    const path = `${root}library/`
    const [, entry = ''] = /name="entry" value="(\d+)"/.exec((await browser.get(`${path}?page=2`)).text) ?? []
    const list = (await browser.get(`${path}?page=2`)).text
    expect(list).toContain('<option value="2:0">before “Milk?”')
    expect(list).toContain('<option value="2" selected>at the end of Page 2')
    const blank = await browser.post(`${path}rename/?page=2`, { entry, name: ' ' })
    expect(blank.status).toBe(422)
    expect(blank.text).toContain('Name in the library must not be blank.')
    const renamed = await browser.post(`${path}rename/?page=2`, { entry, name: 'Hot & cold' })
    expect(renamed.to).toBe(`${path}?page=2`)
    expect((await browser.get(renamed.to!)).text).toContain('<strong>Hot &amp; cold</strong>')
    const preview = await browser.get(`${path}${entry}/preview/`)
    expect(preview.text).toContain('answers are not stored')
    expect(preview.text).toContain('Coffee')
    const stranger = await openBuilder(world)
    const theirs = `${stranger.root}library/`
    expect((await stranger.browser.get(`${theirs}${entry}/preview/`)).status).toBe(404)
    expect((await stranger.browser.post(`${theirs}rename/?page=1`, { entry, name: 'x' })).status).toBe(404)
  })

  test('shares a question in a group, whose members do not delete it', async () => {
    const { person, browser, root } = await openBuilder(world)
    const bob = await world.person()
    const group = await makeGroup(person, 'Research & co')
    await addMember(person, group, bob, 'Test')
    const form = await browser.get(`${root}library/save/?question=why`)
    expect(form.text).toContain('you and the group “Research &amp; co”')
    await browser.post(`${root}library/save/?question=why`, { name: 'Reason', group: String(group) })
    const reader = await signInAs(bob)
    const path = `/account/surveys/${await makeSurvey(bob, TARGET)}/edit/library/`
    const { text } = await reader.get(`${path}?page=1`)
    expect(text).toContain('shared with Research &amp; co')
    expect(text).not.toContain('>Delete<')
    const [, entry = ''] = /name="entry" value="(\d+)"/.exec(text) ?? []
    expect((await reader.post(`${path}delete/?page=1`, { entry })).status).toBe(403)
    expect((await reader.post(`${path}rename/?page=1`, { entry, name: 'Mine' })).status).toBe(403)
    expect((await reader.get(`${path}${entry}/preview/`)).status).toBe(200)
    expect((await reader.post(`${path}?page=1`, { entry })).status).toBe(303)
    const stranger = await openBuilder(world)
    expect((await stranger.browser.post(`${stranger.root}library/?page=1`, { entry })).status).toBe(404)
    expect((await stranger.browser.get(`${path}?page=1`)).status).toBe(404)
    expect((await browser.get(`${root}library/save/?question=nothing`)).status).toBe(404)
    const long = await browser.post(`${root}library/save/?question=why`, { name: 'x'.repeat(256), group: '' })
    expect(long.status).toBe(422)
    expect(long.text).toContain(`value="${'x'.repeat(256)}"`)
  })
})
