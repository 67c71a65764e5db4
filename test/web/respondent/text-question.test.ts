import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../support/browser.ts'
import { pageOf, responsesTo, sendForm, surveyOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const names = {
  idname: 'text-response-grid',
  id: 'g',
  title: 'Names',
  children: [
    { type: 'string', label: 'First' },
    { type: 'string', label: 'Last' },
  ],
}
const elementOf = (page: { text: string }, name: string) =>
  new RegExp(`<(input|textarea)([^>]*) name="${name}"`).exec(page.text)?.slice(1, 3).join(' ')

describe('a text question', () => {
  it('is a field of one line unless its structure says otherwise', async () => {
    const { path } = await surveyOf(world, await world.person(), {
      title: 'T',
      form: [
        pageOf(
          text('plain'),
          text('lines', { lines: 3 }),
          text('full', { appearance: 'full', has_cols: false, cols: '' }),
          text('other', { appearance: 'compact' }),
          text('one', { appearance: 'full', lines: 1 }),
          names,
          { ...names, id: 'h', lines: 4 },
        ),
      ],
    })
    const page = await world.anonymous.get(path)
    expect(['plain', 'other', 'one', 'g_0', 'g_1'].map((name) => elementOf(page, name)?.split(' ')[0])).toEqual(
      Array(5).fill('input'),
    )
    expect(elementOf(page, 'lines')).toMatch(/^textarea.* rows="3"/)
    expect(elementOf(page, 'full')).toMatch(/^textarea.* rows="5"/)
    expect(elementOf(page, 'h_1')).toMatch(/^textarea.* rows="4"/)
  })

  it('shows a stored answer with its line breaks', async () => {
    const person = await world.person()
    const { survey, path } = await surveyOf(world, person, { title: 'T', form: [pageOf(text('a'), names)] })
    const made = await person.post(`/api/v3/surveys/${survey.id}/responses/`, {
      json: { a: 'first\nsecond', g_0: 'Ada\nMary', _completed: 0 },
    })
    const page = await world.anonymous.get(new URL(made.body.url).pathname)
    expect(page.text).toContain('>\nfirst\nsecond</textarea>')
    expect(page.text).toContain('>\nAda\nMary</textarea>')
    expect(elementOf(page, 'g_1')).toMatch(/^input/)
    await sendForm(world.anonymous, page, { a: 'first\r\nsecond', g_0: 'Ada\r\nMary' })
    expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: 'first\nsecond', g_0: 'Ada\nMary' } }])
    expect(path).toContain('/surveys/')
  })

  test.each([0, 51, 2.5, '3'])('is refused with %p lines', async (lines) => {
    const reply = await (await world.person()).post('/api/v2/surveys/', {
      json: { title: 'T', form: [pageOf(text('a', { lines }))] },
    })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('/form/0/children/0/children/0/lines')
    expect(reply.text).toContain('must be a whole number from 1 to 50')
  })

  it('stores no line break when Enter is pressed in one line', async () => {
    const { survey, path } = await surveyOf(world, await world.person(), {
      title: 'T',
      form: [pageOf(text('a'), names), pageOf(text('b'))],
    })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
    const page = await context.newPage()
    await page.goto(world.base + path)
    await page.getByLabel('First').pressSequentially('Ada')
    await page.getByLabel('Text a').pressSequentially('Kay')
    await page.keyboard.press('Enter')
    await page.getByLabel('Text b').waitFor()
    expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: 'Kay', g_0: 'Ada' } }])
    await context.close()
  })
})
