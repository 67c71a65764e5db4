import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { DRINKS, openBuilder } from './builder-owner.ts'

describe('the page of the review', () => {
  const world = useWorld()
  let owner: Awaited<ReturnType<typeof openBuilder>>
  let bob: Awaited<ReturnType<typeof signInAs>>
  let path: string
  beforeAll(async () => {
    owner = await openBuilder(world)
    path = `${owner.root}review/`
    const person = await world.person({ name: 'Bob' })
    const group = await makeGroup(owner.person, 'Board')
    await addMember(owner.person, group, person, 'Test Publish')
    await share(owner.person, owner.id, group)
    bob = await signInAs(person)
    await owner.person.put(`/api/v3/surveys/${owner.id}/settings/`, { json: { approval_required: true } })
    await owner.person.put(`/api/v3/surveys/${owner.id}/draft/`, { json: { ...DRINKS, title: 'Drinks to approve' } })
  })
  const hashIn = (text: string) => /name="hash" value="(\w{64})"/.exec(text)?.[1] ?? ''

  test('is linked beside a disabled button, and publishing anyway is refused with the reason', async () => {
    const { text } = await owner.browser.get(owner.root)
    expect(text).toContain(`<a href="${path}">Needs an approval</a>`)
    expect(text).toMatch(/<button class="primary small" disabled>\s*Publish/)
    const refused = await owner.publishAnyway()
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('This survey requires an approval before it is published')
    expect((await owner.published()).title.en).toBe('Drinks')
  })

  test('keeps the text of the JSON editor that may not be published', async () => {
    const structure = JSON.stringify({ ...(await owner.draft()), title: { en: 'Typed by hand' } })
    const editor = await owner.browser.get(`${owner.root}json/`)
    const version = /name="version" value="(\d+)"/.exec(editor.text)![1]!
    const { status, text } = await owner.browser.post(`${owner.root}json/`, { structure, version })
    expect(status).toBe(409)
    expect(text).toContain('requires an approval')
    expect(text).toContain('Typed by hand')
  })

  test('leads from the request over a reason to the approval and to publishing', async () => {
    const asked = await owner.browser.post(path, { note: 'Mind <page> 2' })
    expect(asked.to).toBe(path)
    const own = (await owner.browser.get(path)).text
    expect(own).toContain('Waiting for a decision')
    expect(own).toContain('Mind &lt;page&gt; 2')
    expect(own).not.toContain('value="approve"')
    const shown = (await bob.get(path)).text
    expect(shown).toContain('value="approve"')
    const unexplained = await bob.post(`${path}decide/`, { decision: 'return', hash: hashIn(shown), sentence: ' ' })
    expect(unexplained.status).toBe(422)
    expect(unexplained.text).toContain('id="sentence-error"')
    await bob.post(`${path}decide/`, { decision: 'return', hash: hashIn(shown), sentence: 'Too long' })
    expect((await owner.browser.get(path)).text).toContain('“Too long”')
    await owner.browser.post(path, {})
    const again = (await bob.get(path)).text
    await bob.post(`${path}decide/`, { decision: 'approve', hash: hashIn(again) })
    expect((await owner.browser.get(path)).text).toContain('The draft is approved')
    await owner.publishAnyway()
    expect((await owner.published()).title.en).toBe('Drinks to approve')
    expect((await owner.browser.get(path)).text).toContain('show the hash of the approved version 2')
  })

  test('does not decide about another draft than the one that was seen, and keeps the reason', async () => {
    const { person, id } = owner
    await person.put(`/api/v3/surveys/${id}/draft/`, { json: { ...DRINKS, title: 'One' } })
    await owner.browser.post(path, {})
    const seen = hashIn((await bob.get(path)).text)
    await person.put(`/api/v3/surveys/${id}/draft/`, { json: { ...DRINKS, title: 'Two' } })
    const late = await bob.post(`${path}decide/`, { decision: 'approve', hash: seen, sentence: 'Fine by me' })
    expect(late.status).toBe(422)
    expect(late.text).toContain('The draft was changed after this request')
    expect((await bob.get(owner.root)).text).toContain('Needs an approval')
  })

  test('belongs to people who may see the questions', async () => {
    const stranger = await openBuilder(world)
    for (const page of [path, `${path}decide/`])
      expect((await stranger.browser.post(page, { hash: 'x', decision: 'approve' })).status).toBe(404)
  })
})
