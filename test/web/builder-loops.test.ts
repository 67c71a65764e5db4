import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { makeSurvey } from '../support/responses.ts'
import { pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { fieldsIn, openBuilder } from './builder-owner.ts'

const world = useWorld()
const SHOPS = {
  title: 'Shops',
  form: [
    pageOf({
      idname: 'multiple-choice',
      id: 'shops',
      title: 'Which shops?',
      children: [{ type: 'multiple', choices: [{ label: 'Aldi' }, { label: 'Coop' }] }],
    }),
    { ...pageOf({ ...text('why'), title: 'Why {{ loop }}?' }), title: 'About {{ loop }}' },
    pageOf(text('end')),
  ],
}
const words = (page: { text: string }) =>
  unescapeHtml(page.text.replace(/<[^>]*>/g, ' '))
    .replace(/[\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')

/** Opens the builder of a survey whose second page is repeated. */
async function openLoop() {
  const builder = await openBuilder(world, SHOPS)
  const path = `${builder.root}page/?page=1`
  await builder.browser.post(path, { ...fieldsIn(await builder.browser.get(path)), loop: 'shops' })
  return { ...builder, path }
}

describe('a page that is repeated for each choice [spec 6.2]', () => {
  test('is set and unset on the form of the page, which offers the questions with several choices before it', async () => {
    const { browser, root, path, draft } = await openLoop()
    expect((await draft()).form[1].loop).toBe('shops')
    expect(words(await browser.get(root))).toContain('Repeated for each choice of “Which shops?”')
    const form = (await browser.get(path)).text
    expect(form).toMatch(/<option value="shops" selected>/)
    expect(form).not.toContain('<option value="why"')
    expect((await browser.get(`${root}page/?page=0`)).text).not.toContain('name="loop"')
    await browser.post(path, { ...fieldsIn(await browser.get(path)), loop: '' })
    expect((await draft()).form[1]).not.toHaveProperty('loop')
  })

  test('is rejected with sentences about what depends on it', async () => {
    const { browser, press, path, root, draft } = await openLoop()
    const before = await draft()
    expect(words(await press('delete', { question: 'shops' }))).toContain(
      'is repeated for each choice of a question that would no longer exist. Change the page first.',
    )
    const blocked = await browser.post(path, { ...fieldsIn(await browser.get(path)), randomBlock: 'a' })
    expect(words(blocked)).toContain('so it can have no skips and no random order of pages.')
    await press('page-up', { page: '1', seen: /name="seen" value="([^"]+)"/.exec((await browser.get(root)).text)![1]! })
    expect(await draft()).toEqual(before)
  })

  test('is not offered for conditions of other pages, skips and quotas', async () => {
    const { browser, root, path } = await openLoop()
    const offered = async (query: string) =>
      (await browser.get(`${root}condition/?${query}`)).text.includes('value="why"')
    expect(await offered('page=2')).toBe(false)
    await browser.post(path, { ...fieldsIn(await browser.get(path)), loop: '' })
    expect(await offered('page=2')).toBe(true)
  })

  test('is printed, previewed and rehearsed once for each choice', async () => {
    const { browser, root } = await openLoop()
    const paper = words(await browser.get(`${root}paper/`))
    for (const part of ['2. Why Aldi?', '3. Why Coop?', '4. Text end']) expect(paper).toContain(part)
    expect(paper).toContain('About Coop Fill in this page only if')
    const preview = await browser.get(`${root}preview/?page=2`)
    expect(words(preview)).toContain('About Aldi')
    expect((await browser.get(`${root}preview/?page=3`)).text).toContain('name="end"')
    const rehearsal = words(await browser.post(`${root}rehearsal/`, { walks: '20', seed: '1' }))
    expect(rehearsal).toContain('Why Coop?')
  })

  test('is copied to another survey as a page that is not repeated, with a note', async () => {
    const { person, id, publish } = await openLoop()
    await publish()
    const target = await makeSurvey(person, { title: 'Target', form: [pageOf(text('a'))] })
    const json = { page: 2, to: target }
    const { status, body } = await person.post(`/api/v3/surveys/${id}/draft/copies/`, { json })
    expect(status).toBe(201)
    expect(body.losses).toContainEqual({ question: null, what: 'loop' })
    const { form } = (await person.get(`/api/v3/surveys/${target}/draft/`)).body.structure
    expect(form[1]).not.toHaveProperty('loop')
  })
})
