import { describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { addQuestion, DRINKS, fieldsIn, idsIn, openBuilder } from './builder-owner.ts'

const world = useWorld()

describe('two authors of a draft', () => {
  test('can edit different questions, and are told if the other author changed the same question', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const [drink, why] = [`${root}question/?id=drink`, `${root}question/?id=why`]
    const [first, second, third] = [await browser.get(drink), await browser.get(drink), await browser.get(why)]
    await browser.post(drink, { ...fieldsIn(first), title: 'First?' })
    expect((await browser.post(why, { ...fieldsIn(third), title: 'Reason?' })).status).toBe(303)
    const conflict = await browser.post(drink, { ...fieldsIn(second), title: 'Second?' })
    expect(conflict.status).toBe(422)
    const text = unescapeHtml(conflict.text)
    expect(text).toMatch(
      /You changed this part of the survey in another window on <time [^>]*>[^<]*<\/time>, after you opened it\./,
    )
    expect(text).toContain('<th scope="row">Question</th><td>First?</td><td>Second?</td>')
    expect(fieldsIn(conflict).title).toBe('Second?')
    expect((await draft()).form[0].children.map(({ title }: { title: { en: string } }) => title.en)).toEqual([
      'First?',
      'Reason?',
    ])
    await browser.post(drink, fieldsIn(conflict))
    expect((await draft()).form[0].children[0].title.en).toBe('Second?')
  })

  test('are told that the draft is based on an older version, and can publish it anyway', async () => {
    const { person, browser, root, id, press, publish, published } = await openBuilder(world)
    await press('delete', { question: 'map' })
    await person.put(`/api/v3/surveys/${id}/structure/`, { json: { ...DRINKS, title: 'Meanwhile' } })
    expect((await browser.get(root)).text).toContain('Version 2 has been published since.')
    const question = await publish()
    expect(question.status).toBe(409)
    expect(question.text).toContain('Replace version 2?')
    expect(question.text).toContain('Your draft is based on version 1 and has not been published.')
    expect(question.text).not.toContain('The editor below')
    expect((await published()).title.en).toBe('Meanwhile')
    const fields = Object.fromEntries(
      ['revision', 'replaces'].map((name) => [
        name,
        new RegExp(`name="${name}" value="([^"]+)"`).exec(question.text)![1]!,
      ]),
    )
    expect((await browser.post(`${root}publish/`, fields)).status).toBe(303)
    expect((await published()).title.en).toBe('Drinks')
  })

  test('can edit the draft with the role Edit, and only read it with the role Test', async () => {
    const { person, id, root } = await openBuilder(world)
    const [editor, tester] = [await world.person(), await world.person()]
    await shareWith(person, id, editor, 'Edit')
    await shareWith(person, id, tester, 'Test')
    const [editing, testing] = [await signInAs(editor), await signInAs(tester)]
    expect((await editing.post(root, { do: 'delete', question: 'map' })).status).toBe(303)
    const page = await testing.get(root)
    expect(page.text).toContain('Which drink?')
    expect(page.text).not.toContain('>Delete')
    expect((await testing.post(root, { do: 'delete', question: 'why' })).status).toBe(403)
    expect((await testing.post(`${root}publish/`, {})).status).toBe(403)
    expect((await (await signInAs(await world.person())).get(root)).status).toBe(404)
  })
})

describe('a survey created in the browser', () => {
  const created = async () => {
    const person = await world.person()
    const browser = await signInAs(person)
    const { to } = await browser.post('/account/surveys/new/', { name: 'Lunch' })
    const root = to!.replace('edit/', '')
    const survey = async () => (await person.get(root.replace('/account', '/api/v3'))).body
    return { person, browser, root, survey, link: new URL((await survey()).deploy_url).pathname }
  }
  const NOT_AVAILABLE = 'This survey is not live or not available.'

  test('is closed until its first question is published', async () => {
    const { browser, root, survey, link } = await created()
    expect((await browser.get(`${root}edit/`)).text).toContain('Not published yet.')
    await browser.post(`${root}edit/publish/`, {})
    expect(await survey()).toMatchObject({ live: 0 })
    await addQuestion(browser, `${root}edit/`, 'text-response', 'Why?')
    expect((await world.anonymous.get(link)).text).toContain(NOT_AVAILABLE)
    expect((await browser.get('/account/surveys/')).text).toContain('<span class="tag open">Draft</span>')
    expect((await browser.post(`${root}edit/publish/`, {})).to).toBe(root)
    expect((await browser.get(root)).text).toContain('Published. The survey is open: share its link.')
    expect(await survey()).toMatchObject({ live: 1 })
    expect((await world.anonymous.get(link)).text).not.toContain(NOT_AVAILABLE)
  })

  test('stays closed if the author who publishes it does not have the role Publish, and if its owner closes it later', async () => {
    const { person, browser, root, survey } = await created()
    const editor = await world.person()
    await shareWith(person, Number(/\d+/.exec(root)![0]), editor, 'Edit')
    const editing = await signInAs(editor)
    await addQuestion(editing, `${root}edit/`, 'text-response', 'Why?')
    await editing.post(`${root}edit/publish/`, {})
    expect((await editing.get(`${root}edit/`)).text).toContain('You need the Publish role to open it.')
    expect(await survey()).toMatchObject({ live: 0 })
    await browser.post(`${root}edit/publish/`, {})
    expect(await survey()).toMatchObject({ live: 1 })
    await browser.post(`${root}live/`, {})
    await addQuestion(browser, `${root}edit/`, 'text-response', 'Why?')
    await browser.post(`${root}edit/publish/`, {})
    expect(await survey()).toMatchObject({ live: 0 })
  })

  test('is a draft if it is a duplicate, with the questions of the original’s draft', async () => {
    const { browser, root, survey, person } = await created()
    await addQuestion(browser, `${root}edit/`, 'text-response', 'Why?')
    await browser.post(`${root}edit/publish/`, {})
    await addQuestion(browser, `${root}edit/`, 'datetime', 'Why?')
    await browser.post(`${root}duplicate/`, {})
    const { results } = (await person.get('/api/v3/surveys/')).body
    const copy = results.at(-1)
    expect(copy).toMatchObject({ name: 'Lunch (copy)', live: 0 })
    const { body } = await person.get(copy.survey_structure_uri)
    expect(body.form[0].children).toHaveLength(2)
    expect(await survey()).toMatchObject({ live: 1 })
  })
})

describe('publishing a draft', () => {
  test('asks for confirmation when stored answers are affected', async () => {
    const { browser, root, id, press, publish, published } = await openBuilder(world)
    await respond(world, id, { answers: { why: 'Because', drink: 0 } })
    await press('delete', { question: 'why' })
    const question = await publish()
    expect(question.text).toContain('Publish these changes?')
    expect(unescapeHtml(question.text)).toContain('“Why?”')
    expect(idsIn(await published())[0]).toEqual(['drink', 'why'])
    const [revision, confirmed] = ['revision', 'confirmed'].map(
      (name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(question.text)![1]!,
    )
    await browser.post(`${root}publish/`, { revision: revision!, confirmed: confirmed! })
    expect(idsIn(await published())[0]).toEqual(['drink'])
  })

  test('is rejected if another author has changed the draft meanwhile', async () => {
    const { browser, root, press, published } = await openBuilder(world)
    await press('delete', { question: 'map' })
    const revision = /name="revision" value="([^"]+)"/.exec((await browser.get(root)).text)![1]!
    await press('delete', { question: 'milk' })
    const reply = await browser.post(`${root}publish/`, { revision })
    expect(reply.status).toBe(409)
    expect(reply.text).toContain('Someone else has changed the survey in the meantime.')
    expect(idsIn(await published())).toHaveLength(3)
    expect(idsIn(await published())[2]).toEqual(['map'])
  })
})
