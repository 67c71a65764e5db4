import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { expectClean } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { Visitor } from '../support/http-browser.ts'
import { pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser.close())

describe('/dev/outbox/', () => {
  test('lists unsent messages with working invite links', async () => {
    const ann = await world.person()
    const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Breakfast', form: [pageOf(text('q'))] } }))
      .body
    const developer = await world.person({ isDeveloper: true })
    const visitor = new Visitor(world.base)
    await visitor.signIn(developer.actor.username, developer.password)
    const empty = await visitor.get('/dev/outbox/')
    expect(empty.text).toContain('No messages yet.')
    const json = {
      subject: 'Breakfast with <b>us</b>?',
      sender: 'Ann Example <ann@example.org>',
      message: 'Dear [Full Name],\n\nplease tell us what you think:\n[Invite Link]\n\nYours, Ann',
    }
    for (const name of ['Bob Example', 'Eve Example'])
      await ann.post(`${survey.uri}send-survey/`, {
        json: { ...json, name, email: `${name.split(' ')[0]}@example.net` },
      })
    await world.runJobs()

    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
    await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: world.base })))
    const page = await context.newPage()
    const clean = (where: string) => expectClean(page, where, 'desktop')
    await page.goto(`${world.base}/dev/outbox/`)
    expect(await page.getByRole('listitem').count()).toBe(2)
    await clean('outbox')
    await page.getByRole('link', { name: 'Breakfast with <b>us</b>?' }).first().click()
    await clean('letter')
    const file = await context.request.get(new URL('message.eml', page.url()).href)
    expect(file.headers()['content-type']).toBe('message/rfc822')
    expect(await file.text()).toMatch(
      /^From: Ann Example via Canvass <no-reply@127\.0\.0\.1>\r\n.*^Reply-To: Ann Example <ann@example\.org>\r\n/ms,
    )
    const way = await page.getByRole('link', { name: '/unsubscribe/' }).getAttribute('href')
    await page.getByRole('link', { name: 'code=' }).click()
    await page.getByRole('heading', { name: 'Breakfast' }).waitFor()
    await page.goto(way!)
    await clean('unsubscribe')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByText('You are unsubscribed').waitFor()
    await clean('unsubscribed')
    await context.close()
  }, 60_000)

  test('returns 404 for unknown messages and paths outside the folder', async () => {
    const developer = await world.person({ isDeveloper: true })
    const visitor = new Visitor(world.base)
    await visitor.signIn(developer.actor.username, developer.password)
    for (const path of ['/dev/outbox/nothing/', '/dev/outbox/..%2fx/', `/dev/outbox/${'0'.repeat(24)}/message.eml`])
      expect((await visitor.get(path)).status).toBe(404)
  })
})
