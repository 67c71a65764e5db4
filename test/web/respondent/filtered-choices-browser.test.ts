import { describe, expect, it } from '@jest/globals'
import { violations } from '../../support/axe.ts'
import { cascade, TOWNS } from '../../support/cascade.ts'
import { addSurvey, pageOf, storedResponses } from '../../support/surveys.ts'
import { press, useChromium } from '../../support/use-chromium.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()
const until = (condition: () => Promise<boolean>) => waitUntil(condition, 20_000)

describe('choices that an answer of the same page filters, in a browser [spec 6.15]', () => {
  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('can be completed %s', async (_, javaScriptEnabled) => {
    const page = await chromium.newPage({ javaScriptEnabled, bypassCSP: javaScriptEnabled })
    const { country, region, town } = cascade(true)
    const zoos = TOWNS.slice(0, 3).map((one, index) => ({ ...one, label: `Zoo ${index}` }))
    const zoo = { ...town, id: 'zoo', title: 'Zoo', children: [{ ...town.children[0], choices: zoos }] }
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(country, region, town, zoo)],
    })
    const options = () => page.getByLabel('Region').locator('option').allTextContents()
    const towns = () => page.getByRole('group', { name: 'Town' }).getByRole('checkbox').count()
    const hints = () => page.locator('[data-waiting]:visible').allTextContents()
    /** Without scripts, the choices follow when the page is sent. */
    const follow = () => (javaScriptEnabled ? undefined : press(page, 'Submit'))
    await page.goto(`${world.base}${path}`)
    expect(await hints()).toEqual(['Answer “Country” first.', 'Answer “Country” first.'])
    await expect(page.getByLabel('Region').isDisabled()).resolves.toBe(true)
    if (javaScriptEnabled) expect(await violations(page)).toEqual([])
    await page.getByLabel('Germany').check()
    await follow()
    await until(async () => (await options()).join() === 'Choose…,Bavaria,Saxony,Alps')
    expect(await hints()).toEqual(['Answer “Region” first.'])
    await page.getByLabel('Region').selectOption('Saxony')
    await follow()
    await until(async () => (await towns()) === 2)
    await page.getByLabel('Dresden').check()
    await page.getByLabel('Another town', { exact: true }).check()
    if (javaScriptEnabled) {
      await page.getByLabel('Austria').check()
      await until(async () => (await options()).join() === 'Choose…,Tyrol,Alps')
      await expect(page.getByLabel('Region').inputValue()).resolves.toBe('')
      await until(async () => (await towns()) === 1)
      await expect(page.getByLabel('Another town', { exact: true }).isChecked()).resolves.toBe(true)
      // Monaco has no regions, so nothing is asked.
      await page.getByLabel('Monaco').check()
      await until(async () => !(await page.getByLabel('Region').isVisible()))
      await page.getByLabel('Germany').check()
      await until(async () => (await options()).join() === 'Choose…,Bavaria,Saxony,Alps')
      await page.getByLabel('Region').selectOption('Saxony')
      await until(async () => (await towns()) === 2)
      await page.getByLabel('Dresden').check()
    }
    await page.getByLabel('Please specify').fill('Meißen')
    await press(page, 'Submit')
    await page.getByText('Thank you!').waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { country: 0, region: 1, town: [1, 3], 'town\\other': 'Meißen' } },
    ])
  })

  it('come back with the page from the history', async () => {
    const page = await chromium.newPage()
    const { country, region } = cascade()
    const { path } = await addSurvey(await world.person(), { title: 'T', form: [pageOf(country, region)] })
    await page.goto(`${world.base}${path}`)
    await page.getByLabel('Austria').check()
    await until(async () => (await page.getByLabel('Region').locator('option').count()) === 3)
    await page.getByLabel('Region').selectOption('Tyrol')
    await page.goto('about:blank')
    await page.goBack()
    await until(async () => (await page.getByLabel('Region').locator('option').count()) === 3)
    await expect(page.getByLabel('Austria').isChecked()).resolves.toBe(true)
  })

  it('are no longer shown once the answer before them has to be given again', async () => {
    const page = await chromium.newPage()
    const { country, region, town } = cascade(true)
    const filtered = { ...town, children: [{ ...town.children[0], choices: TOWNS.slice(0, 3) }] }
    const { path } = await addSurvey(await world.person(), { title: 'T', form: [pageOf(country, region, filtered)] })
    await page.goto(`${world.base}${path}`)
    const towns = page.getByRole('group', { name: 'Town' })
    await page.getByLabel('Germany').check()
    await until(async () => (await page.getByLabel('Region').locator('option').count()) === 4)
    await page.getByLabel('Region').selectOption('Saxony')
    await until(async () => (await towns.getByRole('checkbox').count()) > 0)
    await page.getByLabel('Austria').check()
    await page.locator('[data-waiting=region]:visible').waitFor()
    await expect(towns.getByRole('checkbox').count()).resolves.toBe(0)
  })
})
