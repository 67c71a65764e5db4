import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { violations } from '../../support/axe.ts'
import { addSurvey, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const label = (...labels: string[]) => labels.map((each) => ({ label: each }))
const columns = label('Bad', 'Good')
const questions = [
  {
    idname: 'single-choice',
    id: 'one',
    title: 'One',
    children: [{ choices: [...label('A', 'B'), { label: 'C', other: true }] }],
  },
  { idname: 'boolean-choice', id: 'yes', title: 'Sure', children: [{}] },
  { idname: 'rating', id: 'stars', title: 'Stars', children: [{ steps: 5 }] },
  { idname: 'net-promoter', id: 'nps', title: 'Score', children: [{}] },
  { idname: 'image-choice', id: 'pic', title: 'Picture', children: [{ choices: label('Cat', 'Dog') }] },
  {
    idname: 'single-choice-grid',
    id: 'grid',
    title: 'Grid',
    choices: columns,
    children: label('Bread', 'Butter').map((row) => ({ type: 'single', ...row, choices: columns })),
  },
]
const structure = {
  title: 'Optional',
  form: [pageOf(...questions, single('must', ['X', 'Y'], { required: true })), pageOf(text('last'))],
}

/** The name of the group of each question, and of one of its radio buttons. */
const ANSWERS = [
  ['One', 'B'],
  ['Sure', 'Yes'],
  ['Stars', '3 of 5'],
  ['Score', '7'],
  ['Picture', 'Dog'],
] as const

const radio = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group }).getByRole('radio', { name, exact: true })

describe('an optional answer', () => {
  test.each([true, false])('can be cleared before and after it is stored (scripts: %p)', async (javaScriptEnabled) => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const page = await chromium.newPage({ javaScriptEnabled, bypassCSP: true })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.goto(world.base + path)
    expect(await page.getByRole('radio', { name: 'No answer' }).count()).toBe(0)
    for (const [group, name] of ANSWERS) await radio(page, group, name).check({ force: true })
    await page.getByRole('row', { name: 'Bread' }).getByRole('radio', { name: 'Good' }).check({ force: true })
    await page.getByRole('row', { name: 'Butter' }).getByRole('radio', { name: 'Bad' }).check({ force: true })
    await radio(page, 'Single must', 'X').check({ force: true })
    // A required question cannot be cleared.
    expect(await page.getByRole('group', { name: 'Single must' }).getByRole('radio').count()).toBe(2)
    if (javaScriptEnabled) expect(await violations(page)).toEqual([])
    await radio(page, 'Sure', 'No answer').check({ force: true })
    await press('Next')
    await page.getByLabel('Text last').waitFor()
    const answers = { one: 1, stars: 3, nps: 7, pic: 1, grid_0: 1, grid_1: 0, must: 0 }
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers }])
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual(answers)

    await press('Back')
    for (const group of ['One', 'Stars', 'Score', 'Picture'])
      await radio(page, group, 'No answer').check({ force: true })
    await page.getByRole('row', { name: 'Bread' }).getByRole('radio', { name: 'No answer' }).check({ force: true })
    await press('Next')
    await page.getByLabel('Text last').waitFor()
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ grid_1: 0, must: 0 })
  })

  test('leaves little space below an unanswered question on a phone, and moves nothing when it is given', async () => {
    const { path } = await addSurvey(await world.person(), structure)
    const page = await chromium.newPage({ viewport: { width: 390, height: 800 } })
    await page.goto(world.base + path)
    const group = page.getByRole('group', { name: 'Sure' })
    const boxes = async () => {
      const question = (await page.locator('.question', { has: group }).boundingBox())!
      const last = (await group.locator('label', { hasText: /^No$/ }).boundingBox())!
      return { bottom: question.y + question.height, below: question.y + question.height - last.y - last.height }
    }
    const before = await boxes()
    expect(before.below).toBeLessThan(55)
    await radio(page, 'Sure', 'Yes').check({ force: true })
    expect(await boxes()).toEqual(before)
    const clear = (await group.locator('label', { hasText: 'No answer' }).boundingBox())!
    expect(clear.height).toBeGreaterThanOrEqual(40)
    expect(clear.y + clear.height).toBeLessThanOrEqual(before.bottom)
  })

  test('is cleared by the keyboard, and together with the text of its choice', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const page = await chromium.newPage()
    await page.goto(world.base + path)
    await radio(page, 'One', 'C').focus()
    await page.keyboard.press('Space')
    await page.getByRole('textbox', { name: /C: / }).fill('my own')
    await radio(page, 'One', 'C').focus()
    await page.keyboard.press('ArrowDown')
    expect(await radio(page, 'One', 'No answer').isChecked()).toBe(true)
    await radio(page, 'Single must', 'X').check({ force: true })
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.getByLabel('Text last').waitFor()
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ must: 0 })
  })

  test('is cleared on a first page from the history of the browser, and with its text without scripts', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const first = await world.anonymous.get(path)
    await submitForm(world.anonymous, first, { one: '2', 'one\\other': 'my own', must: '0' })
    const key = /name="_key" value="([^"]*)"/.exec(first.text)![1]
    const cleared = await submitForm(world.anonymous, first, { one: '_none', 'one\\other': 'my own', must: '0' })
    expect(cleared.headers.get('location')).toBe(`${path}${key}/?page=2`)
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ must: 0 })
  })
})
