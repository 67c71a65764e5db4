import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { expectClean } from '../../support/axe.ts'
import { launchBrowser } from '../../support/browser.ts'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { responsesTo } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey } from './survey.ts'

const world = useWorld()
const identity = useIdentityProvider()
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

async function withPage(options: BrowserContextOptions, run: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const broken: string[] = []
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
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
const seen = (page: Page, text: string) => page.getByText(text).first().waitFor()

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('a survey for members %s', (_, javaScriptEnabled) => {
  it('is taken by who signs in, and whoever stays out may try again', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      identity.silent = false
      const password_hash = await hashPassword('open sesame')
      const { survey, path } = await membersSurvey(world, identity, { password_hash })
      await page.goto(`${world.base}${path}`)
      await page.getByLabel('Password').fill('open sesame')
      await press(page, 'Go to the survey')
      await seen(page, 'Members only')
      await follow(page, 'Stay out')
      await seen(page, 'You are not signed in')
      await follow(page, 'Sign in')
      await seen(page, 'Members only')
      await follow(page, 'Let me in')
      await page.getByLabel('Text a').fill('mine')
      await press(page, 'Next')
      await page.getByLabel('Text b').fill('too')
      await press(page, 'Submit')
      await seen(page, 'Thank you!')
      expect(await responsesTo(world, survey.id)).toMatchObject([{ completed: 1, answers: { a: 'mine', b: 'too' } }])
    }))

  it('is refused to whom the system refuses it, also half-way', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      const { survey, path } = await membersSurvey(world, identity)
      await page.goto(`${world.base}${path}`)
      await page.getByLabel('Text a').fill('mine')
      identity.setReply('/callback', replyHandlers.text(404, 'no'))
      await press(page, 'Next')
      await seen(page, 'You cannot take this survey')
      await page.goto(`${world.base}${path}`)
      await seen(page, 'You cannot take this survey')
      expect(await responsesTo(world, survey.id)).toEqual([])
    }))

  it('goes on by itself when its tokens are refreshed, and leads to sign in again when they cannot be', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      const { path } = await membersSurvey(world, identity)
      await page.goto(`${world.base}${path}`)
      identity.expire()
      await page.getByLabel('Text a').fill('mine')
      await press(page, 'Next')
      await page.getByLabel('Text b').waitFor()
      expect(identity.requests('/authorization')).toHaveLength(1)
      identity.signOut()
      identity.silent = false
      await page.reload()
      await seen(page, 'Members only')
      await follow(page, 'Let me in')
      await page.getByLabel('Text b').waitFor()
    }))

  it('keeps what was typed when the sign-in has ended meanwhile', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      const { survey, path } = await membersSurvey(world, identity)
      await page.goto(`${world.base}${path}`)
      identity.signOut()
      identity.silent = false
      await page.getByLabel('Text a').fill('mine')
      await press(page, 'Next')
      await seen(page, 'Sign in again')
      const opened = page.context().waitForEvent('page')
      await follow(page, 'Sign in (opens in a new window)')
      const window = await opened
      await follow(window, 'Let me in')
      await window.getByLabel('Text a').waitFor()
      await press(page, 'Submit my answers again')
      await page.getByLabel('Text b').waitFor()
      expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: 'mine' } }])
    }))

  it('opens to nobody while the system is dead, and keeps what is typed then', () =>
    withPage({ javaScriptEnabled }, async (page) => {
      const { survey, path } = await membersSurvey(world, identity)
      identity.setReply('/callback', replyHandlers.disconnect)
      await page.goto(`${world.base}${path}`)
      await seen(page, 'The sign-in service of this survey is not responding.')
      identity.setReply('/callback', undefined)
      await follow(page, 'Try again')
      await page.getByLabel('Text a').fill('mine')
      identity.setReply('/callback', replyHandlers.disconnect)
      await press(page, 'Next')
      await seen(page, 'Your answers are still on this page')
      await press(page, 'Submit my answers again')
      await seen(page, 'Your answers are still on this page')
      expect(await responsesTo(world, survey.id)).toEqual([])
      identity.setReply('/callback', undefined)
      await press(page, 'Submit my answers again')
      await page.getByLabel('Text b').waitFor()
      expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: 'mine' } }])
    }))
})

describe.each(['light', 'dark'] as const)('axe-core finds nothing, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desk', 1280, 800],
  ])('on a %s', (name, width, height) =>
    withPage({ colorScheme, viewport: { width, height }, bypassCSP: true }, async (page) => {
      const { path } = await membersSurvey(world, identity)
      const clean = async (where: string) => {
        await expectClean(page, `sign-in-${where}`, `${name}-${colorScheme}`)
      }
      await page.goto(`${world.base}${path}sign-in/`)
      await clean('not-completed')
      await page.goto(`${world.base}${path}`)
      identity.setReply('/callback', replyHandlers.text(404, 'no'))
      await page.reload()
      await clean('refused')
      identity.setReply('/callback', replyHandlers.disconnect)
      await page.reload()
      await clean('dead')
      identity.setReply('/callback', undefined)
      await follow(page, 'Try again')
      await page.getByLabel('Text a').fill('mine')
      identity.setReply('/callback', replyHandlers.disconnect)
      await press(page, 'Next')
      await seen(page, 'Your answers are still on this page')
      await clean('dead-kept')
      identity.setReply('/callback', replyHandlers.json(400, { error: 'invalid_grant' }))
      await press(page, 'Submit my answers again')
      await seen(page, 'Sign in again')
      await clean('again-kept')
      await page.goto(`${world.base}${path}`)
      await clean('again')
    }),
  )
})
