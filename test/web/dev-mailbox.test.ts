import { describe, expect, test } from '@jest/globals'
import { expectClean } from '../support/axe.ts'
import { signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { submitSignIn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

describe('/dev/outbox/', () => {
  test('lists unsent messages with working invite links', async () => {
    const ann = await world.person()
    const { survey } = await addSurvey(ann, { title: 'Breakfast', form: [pageOf(text('q'))] })
    const developer = await world.person({ isDeveloper: true })
    const empty = await (await signInAs(developer)).get('/dev/outbox/')
    expect(empty.text).toContain('No messages yet.')
    const json = {
      subject: 'Breakfast with <b>us</b>?',
      sender: 'Ann Example <ann@example.org>',
      message: 'Dear [Full Name],\n\nplease tell us what you think:\n[Invite Link]\n\nYours, Ann',
    }
    for (const name of ['Bob Example', 'Eve Example'])
      await ann.post(`/api/v3/surveys/${survey.id}/invites/`, {
        json: { ...json, name, email: `${name.split(' ')[0]}@example.net` },
      })
    await world.runJobs()

    const page = await chromium.newPage({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
    await page.goto(`${world.base}/dev/outbox/`)
    await submitSignIn(page, developer)
    await page.getByRole('listitem').first().waitFor()
    expect(await page.getByRole('listitem').count()).toBe(2)
    await expectClean(page, 'outbox', 'desk')
    await page.getByRole('link', { name: 'Breakfast with <b>us</b>?' }).first().click()
    await expectClean(page, 'outbox-message', 'desk')
    const file = await page.request.get(new URL('message.eml', page.url()).href)
    expect(file.headers()['content-type']).toBe('message/rfc822')
    expect(await file.text()).toMatch(
      /^From: Ann Example via Canvass <no-reply@127\.0\.0\.1>\r\n.*^Reply-To: Ann Example <ann@example\.org>\r\n/ms,
    )
    const unsubscribeLink = await page.getByRole('link', { name: '/unsubscribe/' }).getAttribute('href')
    await page.getByRole('link', { name: 'code=' }).click()
    await page.getByRole('heading', { name: 'Breakfast' }).waitFor()
    await page.goto(unsubscribeLink!)
    await expectClean(page, 'unsubscribe', 'desk')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByText('You are unsubscribed').waitFor()
    await expectClean(page, 'unsubscribed', 'desk')
  })

  test('returns 404 for unknown messages and paths outside the folder', async () => {
    const developer = await world.person({ isDeveloper: true })
    const browser = await signInAs(developer)
    for (const path of ['/dev/outbox/nothing/', '/dev/outbox/..%2fx/', `/dev/outbox/${'0'.repeat(24)}/message.eml`])
      expect((await browser.get(path)).status).toBe(404)
  })
})
