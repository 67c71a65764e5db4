import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { press, signInOn, submitSignIn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ host: 'localhost' })
const chromium = useChromium()

/** Gives the browser an authenticator that keeps passkeys and verifies its user. */
async function withAuthenticator(page: Page, hasResidentKey = true) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

describe('passkeys in Chromium', () => {
  test('a user adds one, signs in with it alone and after the password, and removes it', async () => {
    const person = await world.person()
    const page = await chromium.newPage()
    const { session, authenticatorId } = await withAuthenticator(page)
    await page.goto(`${world.base}/accounts/login/`)
    await signInOn(page, person)
    await page.goto(`${world.base}/account/second-factor/`)
    await page.getByLabel('Name of the passkey').fill('Work laptop')
    await page.locator('#current-passkey').fill(person.password)
    await press(page, 'Add a passkey…')
    await press(page, 'Create the passkey')
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()

    await page.context().clearCookies()
    await page.goto(`${world.base}/accounts/login/?next=/account/groups/`)
    await press(page, 'Sign in with a passkey')
    await page.waitForURL(`${world.base}/account/groups/`)

    await page.context().clearCookies()
    await page.goto(`${world.base}/accounts/login/`)
    await submitSignIn(page, person)
    await press(page, 'Use your passkey')
    await page.waitForURL(`${world.base}/account/surveys/`)

    await page.goto(`${world.base}/account/second-factor/`)
    await page.getByText('last used').waitFor()
    await page.getByRole('link', { name: 'Change the passkey Work laptop' }).click()
    await page.getByLabel('Your password').fill(person.password)
    await press(page, 'Remove')
    await page.getByText('Passkey removed.').waitFor()

    // The authenticator still has it.
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toHaveLength(1)
    await page.context().clearCookies()
    await page.goto(`${world.base}/accounts/login/`)
    await press(page, 'Sign in with a passkey')
    await page.getByText('The passkey is not valid for this server').waitFor()
  })

  test('a person who has none stays on the page, with the reason', async () => {
    const page = await chromium.newPage()
    await withAuthenticator(page)
    await page.goto(`${world.base}/accounts/login/`)
    await press(page, 'Sign in with a passkey')
    await page.getByText('No passkey was used. Try again, or choose another way.').waitFor()
    expect(await page.getByLabel('Password').isVisible()).toBe(true)
  })

  test('without JavaScript there is no button', async () => {
    const page = await chromium.newPage({ javaScriptEnabled: false })
    await page.goto(`${world.base}/accounts/login/`)
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isVisible()).toBe(true)
  })
})
