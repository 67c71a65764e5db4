import { describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { onEveryScreen } from '../../support/screens.ts'
import { storedResponses } from '../../support/surveys.ts'
import { press, useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()
const identity = useIdentityProvider()
const chromium = useChromium()

const newPhonePage = (javaScriptEnabled: boolean) =>
  chromium.newPage({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
const waitForText = (page: Page, text: string) => page.getByText(text).first().waitFor()

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('a survey with custom authentication, %s', (_, javaScriptEnabled) => {
  it('can be completed after sign-in, also after a cancelled sign-in', async () => {
    const page = await newPhonePage(javaScriptEnabled)
    identity.silent = false
    const password_hash = await hashPassword('open sesame')
    const { survey, path } = await surveyWithSignIn(world, identity, { password_hash })
    await page.goto(`${world.base}${path}`)
    await page.getByLabel('Password').fill('open sesame')
    await press(page, 'Go to the survey')
    await waitForText(page, 'Members only')
    await follow(page, 'Stay out')
    await waitForText(page, 'You are not signed in')
    await follow(page, 'Sign in')
    await waitForText(page, 'Members only')
    await follow(page, 'Let me in')
    await page.getByLabel('Text a').fill('mine')
    await press(page, 'Next')
    await page.getByLabel('Text b').fill('too')
    await press(page, 'Submit')
    await waitForText(page, 'Thank you!')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { a: 'mine', b: 'too' } }])
  })

  it('denies access to a respondent whom the provider rejects, also after the first page', async () => {
    const page = await newPhonePage(javaScriptEnabled)
    const { survey, path } = await surveyWithSignIn(world, identity)
    await page.goto(`${world.base}${path}`)
    await page.getByLabel('Text a').fill('mine')
    identity.setReply('/callback', replyHandlers.text(404, 'no'))
    await press(page, 'Next')
    await waitForText(page, 'You cannot take this survey')
    await page.goto(`${world.base}${path}`)
    await waitForText(page, 'You cannot take this survey')
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('refreshes expired tokens, and requires a new sign-in if they cannot be refreshed', async () => {
    const page = await newPhonePage(javaScriptEnabled)
    const { path } = await surveyWithSignIn(world, identity)
    await page.goto(`${world.base}${path}`)
    identity.expire()
    await page.getByLabel('Text a').fill('mine')
    await press(page, 'Next')
    await page.getByLabel('Text b').waitFor()
    expect(identity.requests('/authorization')).toHaveLength(1)
    identity.signOut()
    identity.silent = false
    await page.reload()
    await waitForText(page, 'Members only')
    await follow(page, 'Let me in')
    await page.getByLabel('Text b').waitFor()
  })

  it('keeps the entered values when the session has expired', async () => {
    const page = await newPhonePage(javaScriptEnabled)
    const { survey, path } = await surveyWithSignIn(world, identity)
    await page.goto(`${world.base}${path}`)
    identity.signOut()
    identity.silent = false
    await page.getByLabel('Text a').fill('mine')
    await press(page, 'Next')
    await waitForText(page, 'Sign in again')
    const signInTab = page.context().waitForEvent('page')
    await follow(page, 'Sign in (opens in a new window)')
    const newTab = await signInTab
    await follow(newTab, 'Let me in')
    await newTab.getByLabel('Text a').waitFor()
    await press(page, 'Submit my answers again')
    await page.getByLabel('Text b').waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'mine' } }])
  })

  it('stays closed while the provider is unreachable, and keeps the entered values', async () => {
    const page = await newPhonePage(javaScriptEnabled)
    const { survey, path } = await surveyWithSignIn(world, identity)
    identity.setReply('/callback', replyHandlers.disconnect)
    await page.goto(`${world.base}${path}`)
    await waitForText(page, 'The sign-in service of this survey is not responding.')
    identity.setReply('/callback', undefined)
    await follow(page, 'Try again')
    await page.getByLabel('Text a').fill('mine')
    identity.setReply('/callback', replyHandlers.disconnect)
    await press(page, 'Next')
    await waitForText(page, 'Your answers are still on this page')
    await press(page, 'Submit my answers again')
    await waitForText(page, 'Your answers are still on this page')
    expect(await storedResponses(world, survey.id)).toEqual([])
    identity.setReply('/callback', undefined)
    await press(page, 'Submit my answers again')
    await page.getByLabel('Text b').waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'mine' } }])
  })
})

onEveryScreen('the sign-in pages of a survey', 'have no accessibility violations', async ({ page, expectClean }) => {
  const { path } = await surveyWithSignIn(world, identity)
  await page.goto(`${world.base}${path}sign-in/`)
  await expectClean('sign-in-not-completed')
  await page.goto(`${world.base}${path}`)
  identity.setReply('/callback', replyHandlers.text(404, 'no'))
  await page.reload()
  await expectClean('sign-in-denied')
  identity.setReply('/callback', replyHandlers.disconnect)
  await page.reload()
  await expectClean('sign-in-unreachable')
  identity.setReply('/callback', undefined)
  await follow(page, 'Try again')
  await page.getByLabel('Text a').fill('mine')
  identity.setReply('/callback', replyHandlers.disconnect)
  await press(page, 'Next')
  await waitForText(page, 'Your answers are still on this page')
  await expectClean('sign-in-unreachable-values-kept')
  identity.setReply('/callback', replyHandlers.json(400, { error: 'invalid_grant' }))
  await press(page, 'Submit my answers again')
  await waitForText(page, 'Sign in again')
  await expectClean('sign-in-expired-values-kept')
  await page.goto(`${world.base}${path}`)
  await expectClean('sign-in-expired')
})
