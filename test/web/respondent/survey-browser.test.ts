import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { expectClean, violations } from '../../support/axe.ts'
import { launchBrowser } from '../../support/browser.ts'
import { responsesTo, surveyOf } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { everything, little } from '../sample-surveys.ts'

const world = useWorld()
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

/** Runs with a browser's page of its own, and closes it whatever happens. */
async function withPage(options: BrowserContextOptions, run: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const broken: string[] = []
  page.on('pageerror', (error) => broken.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) broken.push(message.text())
  })
  try {
    await run(page)
    expect(broken).toEqual([])
  } finally {
    await context.close()
  }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('a survey of three pages %s', (_, javaScriptEnabled) => {
  it('is taken in English, with a mistake, a step back and a question that an answer shows', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      const { survey, path } = await surveyOf(world, await world.person(), everything)
      await page.goto(`${world.base}${path}?source=poster`)
      await page.getByLabel('Your e-mail').fill('nobody')
      await page.getByLabel('Rye', { exact: true }).check()
      if (javaScriptEnabled) await page.getByLabel('Why rye').fill('It keeps.')
      await page.getByLabel('Butter').check()
      await page.getByLabel('Jam').check()
      await press(page, 'Next')
      await expect(page.title()).resolves.toMatch(/^Error: Page 1 of 3/)
      await expect(page.locator('.summary li').count()).resolves.toBe(2)
      await expect(page.evaluate('document.activeElement.className')).resolves.toBe('summary')
      await expect(page.getByLabel('Your e-mail').inputValue()).resolves.toBe('nobody')
      await page.getByLabel('What is your name').fill('Ada')
      await page.getByLabel('Your e-mail').fill('ada@example.org')
      await page.getByLabel('Why rye').fill('It keeps.')
      await press(page, 'Next')
      await expect(page.getByRole('heading', { name: 'Your mornings, Ada' }).isVisible()).resolves.toBe(true)
      await press(page, 'Back')
      await expect(page.getByLabel('What is your name').inputValue()).resolves.toBe('Ada')
      await press(page, 'Next')
      await page
        .getByRole('row', { name: /at home/ })
        .getByRole('radio', { name: 'Often' })
        .check({ force: true })
      await page.getByLabel('on Sundays').selectOption('Somebody else')
      await page.getByLabel('coffee').fill('Around the corner')
      await page.getByLabel('When do you get up').fill('06:30')
      await press(page, 'Next')
      if (javaScriptEnabled) await press(page, 'Move Tea up')
      else
        for (const [name, place] of [
          ['Tea', '1'],
          ['Coffee', '2'],
          ['Juice', '3'],
        ] as const)
          await page.getByLabel(name).selectOption(place)
      await page.getByRole('radio', { name: '9', exact: true }).check({ force: true })
      await press(page, 'Submit')
      await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
      expect(await responsesTo(world, survey.id)).toMatchObject([
        {
          completed: 1,
          language: 'en',
          answers: {
            name: 'Ada',
            mail: 'ada@example.org',
            bread: 0,
            whyrye: 'It keeps.',
            with: [0, 2],
            grid_0: 2,
            drops_1: 1,
            texts_1: 'Around the corner',
            when: '06:30',
            source: 'poster',
            rank: [1, 0, 2],
            nps: 9,
          },
        },
      ])
    }))

  it('is taken in French', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      const { survey, path } = await surveyOf(world, await world.person(), everything)
      await page.goto(`${world.base}${path}`)
      await page.getByRole('link', { name: 'Français' }).click()
      await page.getByLabel('Comment vous appelez-vous').fill('Édith')
      await page.getByLabel('Veuillez préciser').fill('Brioche')
      await press(page, 'Suivant')
      await page
        .getByRole('row', { name: /à la maison/ })
        .getByRole('radio', { name: 'Toujours' })
        .check({ force: true })
      await press(page, 'Suivant')
      if (javaScriptEnabled) await press(page, 'Garder cet ordre')
      else
        for (const [at, name] of ['Café', 'Thé', 'Jus'].entries())
          await page.getByLabel(name).selectOption(String(at + 1))
      await page.getByRole('radio', { name: /^10/ }).check({ force: true })
      await press(page, 'Envoyer')
      await page.getByRole('heading', { name: 'Merci !' }).waitFor()
      expect(await responsesTo(world, survey.id)).toMatchObject([
        {
          completed: 1,
          language: 'fr',
          answers: { name: 'Édith', bread: 2, 'bread\\other': 'Brioche', grid_0: 3, rank: [0, 1, 2], nps: 10 },
        },
      ])
    }))
})

describe('in a browser', () => {
  it('a double click makes one response, and going back to the first page does not make another', () =>
    withPage({}, async (page) => {
      const { survey, path } = await surveyOf(world, await world.person(), everything)
      await page.goto(`${world.base}${path}`)
      await page.getByLabel('What is your name').fill('Ada')
      await page.getByLabel('Wheat').check()
      await page.getByRole('button', { name: 'Next' }).dblclick()
      await page.waitForURL(/page=2/)
      await page.goBack()
      await page.getByLabel('What is your name').fill('Grace')
      await page.getByLabel('Wheat').check()
      await press(page, 'Next')
      await page.waitForURL(/page=2/)
      expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { name: 'Grace', bread: 1 } }])
    }))
})

describe('axe-core', () => {
  it('would find something', () =>
    withPage({ bypassCSP: true }, async (page) => {
      await page.setContent('<!doctype html><html><body><input><img src="data:,"></body></html>')
      expect((await violations(page)).map((found) => found.split(':', 1)[0])).toEqual(
        expect.arrayContaining(['image-alt', 'label', 'html-has-lang', 'document-title']),
      )
    }))
})

describe.each(['light', 'dark'] as const)('axe-core finds nothing, %s,', (colorScheme) => {
  it.each([
    ['a small phone', 320, 640],
    ['a phone', 390, 844],
    ['a desktop', 1280, 800],
  ])(
    'on %s, on any page',
    (kind, width, height) =>
      withPage({ colorScheme, viewport: { width, height }, bypassCSP: true }, async (page) => {
        const name = kind.replace(/^an? /, '').replace(' ', '-')
        const person = await world.person()
        const { path } = await surveyOf(world, person, everything)
        const closed = await surveyOf(world, person, little, {}, { live: false })
        const locked = await surveyOf(world, person, little, { password_hash: await hashPassword('x') })
        const clean = (where: string) => expectClean(page, `taking ${where}`, `${name}-${colorScheme}`)
        await page.goto(`${world.base}${path}`)
        await clean('first')
        await page.getByLabel('Rye', { exact: true }).check()
        await press(page, 'Next')
        await clean('error')
        await page.getByLabel('What is your name').fill('Ada')
        await press(page, 'Next')
        await press(page, 'Next')
        await clean('grid with an error')
        await page
          .getByRole('row', { name: /at home/ })
          .getByRole('radio', { name: 'Often' })
          .check({ force: true })
        await press(page, 'Next')
        await clean('ranking and scale')
        await press(page, 'Save and continue later')
        await clean('saved')
        await page.getByRole('link', { name: 'Continue now' }).click()
        await press(page, 'Move Tea up')
        await page.getByRole('radio', { name: '9', exact: true }).check({ force: true })
        await press(page, 'Submit')
        await clean('thanks')
        await page.goto(`${world.base}${closed.path}`)
        await clean('closed')
        await page.goto(`${world.base}${locked.path}`)
        await clean('password')
        await page.getByLabel('Password').fill('wrong')
        await press(page, 'Go to the survey')
        await clean('wrong password')
        await page.goto(`${world.base}/surveys/no/thing/`)
        await clean('missing')
        await page.goto(`${world.base}/accounts/login/?next=${closed.path}`)
        await page.getByLabel('Username or email').fill(person.actor.username)
        await page.getByLabel('Password').fill(person.password)
        await press(page, 'Sign in')
        await page.getByText('You can see it because you have permission to test it').waitFor()
        await clean('tested')
      }),
    60_000,
  )
})
