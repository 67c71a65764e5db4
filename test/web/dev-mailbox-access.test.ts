import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { openDevMailbox } from '../../src/lib/dev-mailbox.ts'
import { Visitor } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const local = useWorld()
const mailing = useWorld({ smtp: () => mailbox.url })
const open = useWorld({ settings: { BASE_URL: 'https://surveys.example.org', TRUSTED_PROXIES: '1' } })

/** The status of `/dev/outbox/` for a request with these headers, which `fetch` would not let through. */
const statusWith = (visitor: Visitor, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = request(new URL('/dev/outbox/', visitor.base), { headers: { cookie, ...headers } }, (reply) => {
      reply.resume()
      resolve(reply.statusCode!)
    })
    sent.once('error', reject).end()
  })

async function signedIn(isDeveloper: boolean): Promise<Visitor> {
  const { actor, password } = await local.person({ isDeveloper })
  const visitor = new Visitor(local.base)
  await visitor.signIn(actor.username, password)
  return visitor
}

describe('/dev/outbox/', () => {
  test('shows messages to a signed-in developer account on this machine', async () => {
    expect(await statusWith(await signedIn(true), {})).toBe(200)
  })

  test('asks visitors to sign in and returns 404 to other accounts', async () => {
    const stranger = await new Visitor(local.base).get('/dev/outbox/')
    expect(stranger).toMatchObject({ status: 303, to: '/accounts/login/?next=%2Fdev%2Foutbox%2F' })
    expect(await statusWith(await signedIn(false), {})).toBe(404)
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
  ])('is not there for a request with %j, even for a developer account', async (headers) => {
    expect(await statusWith(await signedIn(true), headers)).toBe(404)
  })

  test('returns 404 with a mail server or a public base URL', async () => {
    for (const world of [mailing, open])
      for (const path of ['/dev/outbox/', `/dev/outbox/${'0'.repeat(24)}/`])
        expect((await world.anonymous.get(path)).status).toBe(404)
  })
})

describe('a public server without a mail server', () => {
  test('refuses to email a reset link and writes none anywhere', async () => {
    const { actor } = await open.person()
    const visitor = new Visitor(open.base)
    for (const reply of [
      await visitor.get('/accounts/password/'),
      await visitor.post(
        '/accounts/password/',
        { username: actor.username },
        { origin: 'https://surveys.example.org' },
      ),
    ]) {
      expect(reply.status).toBe(503)
      expect(reply.text).toContain('This server cannot send email')
    }
    const links = await open.application.services.pool.query("select 1 from account_link where purpose = 'password'")
    expect([links.rowCount, await open.runJobs()]).toEqual([0, []])
  })
})

describe('the folder of stored messages', () => {
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777

  test('is readable by its owner only', async () => {
    const { actor } = await local.person()
    await new Visitor(local.base).post('/accounts/password/', { username: actor.username })
    await local.runJobs()
    const folder = join(local.dataDir, 'outbox')
    const names = await readdir(folder)
    expect(names.length).toBeGreaterThan(0)
    expect(await modeOf(folder)).toBe(0o700)
    for (const name of names) expect(await modeOf(join(folder, name))).toBe(0o600)
  })

  test('of an earlier version gets restricted permissions at start', async () => {
    const folder = join(local.dataDir, 'earlier')
    await mkdir(folder)
    await writeFile(join(folder, 'letter.eml'), 'a link', { mode: 0o644 })
    await chmod(folder, 0o755)
    await openDevMailbox(folder)
    expect([await modeOf(folder), await modeOf(join(folder, 'letter.eml'))]).toEqual([0o700, 0o600])
  })
})
