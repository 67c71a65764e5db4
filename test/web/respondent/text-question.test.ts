import { describe, expect, it, test } from '@jest/globals'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const nameGrid = {
  idname: 'text-response-grid',
  id: 'g',
  title: 'Names',
  children: [
    { type: 'string', label: 'First' },
    { type: 'string', label: 'Last' },
  ],
}
const fieldOf = (page: { text: string }, name: string) =>
  new RegExp(`<(input|textarea)([^>]*) name="${name}"`).exec(page.text)?.slice(1, 3).join(' ')

describe('a text question', () => {
  it('has a text area for `lines` above 1, or for `appearance: full` without `lines`, and otherwise a field of one line', async () => {
    const { path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [
        pageOf(
          text('plain'),
          text('lines', { lines: 3 }),
          text('full', { appearance: 'full', has_cols: false, cols: '' }),
          text('other', { appearance: 'compact' }),
          text('one', { appearance: 'full', lines: 1 }),
          nameGrid,
          { ...nameGrid, id: 'h', lines: 4 },
        ),
      ],
    })
    const page = await world.anonymous.get(path)
    expect(['plain', 'other', 'one', 'g_0', 'g_1'].map((name) => fieldOf(page, name)?.split(' ')[0])).toEqual(
      Array(5).fill('input'),
    )
    expect(fieldOf(page, 'lines')).toMatch(/^textarea.* rows="3"/)
    expect(fieldOf(page, 'full')).toMatch(/^textarea.* rows="5"/)
    expect(fieldOf(page, 'h_1')).toMatch(/^textarea.* rows="4"/)
  })

  it('shows a stored answer with its line breaks', async () => {
    const person = await world.person()
    const { survey } = await addSurvey(person, { title: 'T', form: [pageOf(text('a'), nameGrid)] })
    const { body } = await person.post(`/api/v3/surveys/${survey.id}/responses/`, {
      json: { a: 'first\nsecond', g_0: 'Ada\nMary', _completed: 0 },
    })
    const page = await world.anonymous.get(new URL(body.url).pathname)
    expect(page.text).toContain('>\nfirst\nsecond</textarea>')
    expect(page.text).toContain('>\nAda\nMary</textarea>')
    expect(fieldOf(page, 'g_1')).toMatch(/^input/)
    await submitForm(world.anonymous, page, { a: 'first\r\nsecond', g_0: 'Ada\r\nMary' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { a: 'first\nsecond', g_0: 'Ada\nMary' } },
    ])
  })

  test.each([0, 51, 2.5, '3'])('rejects %p as the number of lines', async (lines) => {
    const structure = { title: 'T', form: [pageOf(text('a', { lines }))] }
    await expect(addSurvey(await world.person(), structure)).rejects.toMatchObject({
      errors: [{ field: '/form/0/children/0/children/0/lines', message: 'must be a whole number from 1 to 50' }],
    })
  })

  it('submits the page, and stores no line break, when Enter is pressed in a field of one line', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(text('a'), nameGrid), pageOf(text('b'))],
    })
    const page = await chromium.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.goto(world.base + path)
    await page.getByLabel('First').pressSequentially('Ada')
    await page.getByLabel('Text a').pressSequentially('Kay')
    await page.keyboard.press('Enter')
    await page.getByLabel('Text b').waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'Kay', g_0: 'Ada' } }])
  })
})
