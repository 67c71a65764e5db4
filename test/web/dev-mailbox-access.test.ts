import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { openDevMailbox } from '../../src/lib/dev-mailbox.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const local = useWorld()
const withMailServer = useWorld({ smtp: () => mailbox.url })
const publicServer = useWorld({ settings: { BASE_URL: 'https://surveys.example.org', TRUSTED_PROXIES: '1' } })

/** Returns the status of `/dev/outbox/` for a request with these headers. `fetch` would forbid some of them. */
const statusWith = (browser: HttpBrowser, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const pending = request(
      new URL('/dev/outbox/', browser.base),
      { headers: { cookie: browser.cookieHeader, ...headers } },
      (reply) => {
        reply.resume()
        resolve(reply.statusCode!)
      },
    )
    pending.once('error', reject).end()
  })

const signInAsDeveloper = async () => signInAs(await local.person({ isDeveloper: true }))

describe('/dev/outbox/', () => {
  test('shows messages to a signed-in developer account on this machine', async () => {
    expect(await statusWith(await signInAsDeveloper(), {})).toBe(200)
  })

  test('redirects to the sign-in page without a session, and returns 404 to other accounts', async () => {
    const reply = await new HttpBrowser(local.base).get('/dev/outbox/')
    expect(reply).toMatchObject({ status: 303, to: '/accounts/login/?next=%2Fdev%2Foutbox%2F' })
    expect(await statusWith(await signInAs(await local.person()), {})).toBe(404)
  })

  test.each<Record<string, string>>([
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': 'localhost' },
    { forwarded: 'for=203.0.113.9' },
    { 'x-real-ip': '203.0.113.9' },
    { via: '1.1 proxy' },
    { host: 'surveys.example.org' },
    { host: '127.0.0.1.evil.example' },
  ])('returns 404 for a request with %j, even to a developer account', async (headers) => {
    expect(await statusWith(await signInAsDeveloper(), headers)).toBe(404)
  })

  test('returns 404 with a mail server or a public base URL', async () => {
    for (const world of [withMailServer, publicServer])
      for (const path of ['/dev/outbox/', `/dev/outbox/${'0'.repeat(24)}/`])
        expect((await world.anonymous.get(path)).status).toBe(404)
  })
})

describe('a public server without a mail server', () => {
  test('returns 503 for a password reset and creates no reset link', async () => {
    const { actor } = await publicServer.person()
    const browser = new HttpBrowser(publicServer.base)
    for (const reply of [
      await browser.get('/accounts/password/'),
      await browser.post(
        '/accounts/password/',
        { username: actor.username },
        { origin: 'https://surveys.example.org' },
      ),
    ]) {
      expect(reply.status).toBe(503)
      expect(reply.text).toContain('This server cannot send email')
    }
    const links = await publicServer.application.services.pool.query(
      "select 1 from account_link where purpose = 'password'",
    )
    expect([links.rowCount, await publicServer.runJobs()]).toEqual([0, []])
  })
})

describe('the folder of unsent messages', () => {
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777

  test('is readable only by the user of the server process', async () => {
    const { actor } = await local.person()
    await new HttpBrowser(local.base).post('/accounts/password/', { username: actor.username })
    await local.runJobs()
    const folder = join(local.dataDir, 'outbox')
    const names = await readdir(folder)
    expect(names.length).toBeGreaterThan(0)
    expect(await modeOf(folder)).toBe(0o700)
    for (const name of names) expect(await modeOf(join(folder, name))).toBe(0o600)
  })

  test('gets restricted permissions at start if an earlier version created it', async () => {
    const folder = join(local.dataDir, 'earlier')
    await mkdir(folder)
    await writeFile(join(folder, 'message.eml'), 'a link', { mode: 0o644 })
    await chmod(folder, 0o755)
    await openDevMailbox(folder)
    expect([await modeOf(folder), await modeOf(join(folder, 'message.eml'))]).toEqual([0o700, 0o600])
  })
})
