import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { useTlsSite } from '../../support/tls-site.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ settings: { BASE_URL: 'https://survey.example' } })
const chromium = useChromium()
let framed = ''
/** Whether the survey's site loses all cookies, as a browser that blocks partitioned ones. */
let withoutCookies = false
const survey = useTlsSite('localhost', (request, response) => {
  if (withoutCookies) delete request.headers.cookie
  world.application.app.callback()(request, response)
})
const embedding = useTlsSite('127.0.0.1', (_, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(
    `<!doctype html><html lang="en"><title>Embedding site</title><iframe src="${framed}" title="Survey"></iframe></html>`,
  )
})

/** Opens a page of the embedding site in a browser that blocks third-party cookies. */
async function openFramed(path: string): Promise<Page> {
  framed = survey.url + path
  const page = await chromium.newPage({ ignoreHTTPSErrors: true })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.setCookieControls', {
    enableThirdPartyCookieRestriction: true,
  })
  await page.goto(embedding.url)
  return page
}

async function enterPassword(page: Page, password: string): Promise<void> {
  const frame = page.frameLocator('iframe')
  await frame.getByLabel('Password').fill(password)
  await frame.getByRole('button', { name: 'Go to the survey' }).click()
}

const structure = { title: 'Secret', form: [pageOf(text('a')), pageOf(text('b'))] }
const addProtected = async () =>
  addSurvey(await world.person(), structure, { password_hash: await hashPassword('sesame street') })

describe('a survey with a password in a frame of another site, with third-party cookies blocked', () => {
  test('opens after the right password, and is completed', async () => {
    withoutCookies = false
    const { survey: stored, path } = await addProtected()
    const page = await openFramed(`${path}?source=frame`)
    await enterPassword(page, 'wrong')
    const frame = page.frameLocator('iframe')
    await frame.getByText('The password is incorrect.').waitFor()
    await enterPassword(page, 'sesame street')
    await frame.getByLabel('Text a').fill('x')
    await frame.getByRole('button', { name: 'Next' }).click()
    await frame.getByLabel('Text b').fill('y')
    await frame.getByRole('button', { name: 'Submit' }).click()
    await frame.getByText('Thank you!').waitFor()
    expect(await storedResponses(world, stored.id)).toMatchObject([
      { completed: 1, answers: { a: 'x', b: 'y' }, get_variables: 'source=frame' },
    ])
    const cookies = await page.context().cookies(survey.url)
    expect(cookies).toMatchObject([
      { httpOnly: true, secure: true, sameSite: 'None', partitionKey: expect.any(String) },
    ])
  })

  test('says what blocks it if no cookie comes back, with a link that opens it in a window', async () => {
    withoutCookies = true
    const { path } = await addProtected()
    const page = await openFramed(path)
    await enterPassword(page, 'sesame street')
    const frame = page.frameLocator('iframe')
    await frame.getByText('Your browser did not let this page remember that you entered the password.').waitFor()
    withoutCookies = false
    const opened = page.context().waitForEvent('page')
    await frame.getByRole('link', { name: 'Open the survey in a new window' }).click()
    const alone = await opened
    await alone.getByLabel('Password').fill('sesame street')
    await alone.getByRole('button', { name: 'Go to the survey' }).click()
    await alone.getByLabel('Text a').waitFor()
    expect(alone.url()).toBe(survey.url + path)
  })
})
