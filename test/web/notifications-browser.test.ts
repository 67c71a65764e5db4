import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
let ann: Person
let id: number
let root: string
beforeAll(async () => {
  ann = await world.person()
})
beforeEach(async () => {
  id = await makeSurvey(ann)
  root = `/account/surveys/${id}/`
})
const frequency = async (person = ann) => (await person.get(`/api/v3/surveys/${id}/notification/`)).body.frequency

describe('the notifications in the overview', () => {
  test('are chosen and saved in a browser', async () => {
    const page = await chromium.newPage()
    await page.goto(world.base + root)
    await signInOn(page, ann)
    const group = page.getByRole('group', { name: 'Email about new responses' })
    expect(await group.getByRole('radio', { name: 'Off' }).isChecked()).toBe(true)
    await group.getByRole('radio', { name: /^Daily/ }).check()
    await page.getByRole('button', { name: 'Save notifications' }).click()
    await page.getByText('Notifications saved.').waitFor()
    expect(await group.getByRole('radio', { name: /^Daily/ }).isChecked()).toBe(true)
    expect(await frequency()).toBe('daily')
  })

  test('are saved and turned off without scripts', async () => {
    const browser = await signInAs(ann)
    expect((await browser.get(root)).text).toContain(
      `We send the number of new complete responses to ${ann.actor.email}.`,
    )
    const { to } = await browser.post(`${root}notification/`, { frequency: 'immediate' })
    expect(to).toBe(`${root}#notifications`)
    expect((await browser.get(root)).text).toContain('value="immediate" checked')
    expect(await frequency()).toBe('immediate')
    await browser.post(`${root}notification/`, { frequency: 'off' })
    expect((await browser.get(root)).text).toContain('Notifications are off.')
    expect(await frequency()).toBe('off')
  })

  test('are hidden from a member without the role Analyze, who cannot save them either', async () => {
    const bob = await world.person()
    await shareWith(ann, id, bob, 'Edit')
    const browser = await signInAs(bob)
    expect((await browser.get(root)).text).not.toContain('Email about new responses')
    expect((await browser.post(`${root}notification/`, { frequency: 'daily' })).status).toBe(403)
  })

  test('are not saved without the token of the form', async () => {
    const browser = await signInAs(ann)
    await browser.post(`${root}notification/`, { frequency: 'daily', _csrf: 'wrong' })
    expect(await frequency()).toBe('off')
  })
})

onEveryScreen('the overview with notifications', 'has no accessibility violations', async ({ page, expectClean }) => {
  await page.goto(world.base + root)
  await signInOn(page, ann)
  await page.getByRole('heading', { name: 'Notifications' }).waitFor()
  await expectClean('notifications')
})
