import { beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '../../support/client.ts'
import { unescapeHtml } from '../../support/html.ts'
import { HttpBrowser, signInAs } from '../../support/http-browser.ts'
import { refresh, registerApp, statusWithToken, tokensFor } from '../../support/oauth.ts'
import { addSurvey, pageOf } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'
import { createLoginUrl } from '../login-url.ts'

const world = useWorld()
const USERS = '/administration/users/'
const textOf = (page: string) => unescapeHtml(page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))

let admin: Person
let desk: HttpBrowser
beforeAll(async () => {
  admin = await world.person({ username: 'root', name: 'Rita Root', isAdministrator: true })
  desk = await signInAs(admin)
})

const pageOfUser = ({ actor }: Person, action = '') => `${USERS}${actor.id}/${action}`
const structure = {
  title: 'Names',
  form: [pageOf({ idname: 'text-response', id: 'name', title: 'Your name', children: [{ type: 'string' }] })],
}
const isSignedIn = async (browser: HttpBrowser) => (await browser.get('/account/')).status === 200
const me = async ({ actor }: Person, secret: string) =>
  (await new Client(world.base).with(actor.username, secret).get('/api/v3/')).status

describe('the administration', () => {
  test('does not exist for others, whatever they send', async () => {
    const ann = await world.person({ isDeveloper: true })
    const browser = await signInAs(ann)
    const own = pageOfUser(ann)
    for (const path of [USERS, `${USERS}new/`, own, `${own}grant/`, '/administration/activity/'])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404])
    await browser.get('/account/')
    for (const path of [`${USERS}new/`, `${own}grant/`, `${own}plan/`, `${own}password/`, `${own}hand-over/`])
      expect([path, (await browser.post(path, { current: ann.password })).status]).toEqual([path, 404])
    expect((await browser.get('/account/')).text).not.toContain('/administration/')
    expect((await new HttpBrowser(world.base).get(USERS)).to).toBe('/accounts/login/?next=%2Fadministration%2Fusers%2F')
  })

  test('is closed to an administrator as soon as another one removes the right, and not to the last one', async () => {
    const ann = await world.person({ name: 'Ann' })
    const browser = await signInAs(ann)
    const wrong = await desk.post(pageOfUser(ann, 'grant/'), { current: 'wrong' })
    expect([wrong.status, (await browser.get(USERS)).status]).toEqual([422, 404])
    await desk.post(pageOfUser(ann, 'grant/'), { current: admin.password })
    expect((await browser.get(USERS)).status).toBe(200)
    expect((await desk.post(pageOfUser(ann, 'revoke/'), { current: admin.password })).status).toBe(303)
    expect((await browser.get(USERS)).status).toBe(404)
    const last = await desk.post(pageOfUser(admin, 'revoke/'), { current: admin.password })
    expect([last.status, textOf(last.text)]).toEqual([403, expect.stringContaining('This is the last administrator')])
    const deleted = await desk.post('/account/delete/', { password: admin.password })
    expect(textOf(deleted.text)).toContain('This is the last administrator')
    expect((await desk.get(USERS)).status).toBe(200)
  })

  test('records each action with names, for administrators and for the person', async () => {
    const zoe = await world.person({ name: 'Zoe Zander' })
    const browser = await signInAs(zoe)
    await desk.post(pageOfUser(zoe, 'plan/'), { plan: 'standard' })
    await desk.post(pageOfUser(zoe, 'grant/'), { current: admin.password })
    await desk.post(pageOfUser(zoe, 'revoke/'), { current: admin.password })
    const log = textOf((await desk.get('/administration/activity/')).text)
    expect(log).toContain('Administration closed to Zoe Zander You, ')
    expect(log).toContain('Administration opened to Zoe Zander You, ')
    expect(textOf((await browser.get('/account/security/')).text)).toContain('Administration opened to you Rita Root, ')
    const file = await desk.get('/administration/activity/csv/')
    expect(file.text).toContain(`,administrator_granted,${admin.actor.id},Rita Root,`)
  })
})

describe('the list of users', () => {
  test('searches, filters, sorts and pages', async () => {
    const people = await Promise.all(
      Array.from({ length: 51 }, (_, number) => world.person({ email: `crowd-${number}@example.net`, name: 'Crowd' })),
    )
    await desk.post(pageOfUser(people[3]!, 'disable/'))
    const names = async (query: string) => {
      const { text } = await desk.get(`${USERS}?${query}`)
      return [...text.matchAll(/<p class="soft">(crowd-\d+)@/g)].map(([, name]) => name)
    }
    expect(await names('search=crowd-5')).toEqual(['crowd-50', 'crowd-5'])
    expect(await names('search=crowd-5&order=email')).toEqual(['crowd-50', 'crowd-5'])
    expect(await names('search=crowd-5&order=oldest')).toEqual(['crowd-5', 'crowd-50'])
    expect(await names('search=example.net&state=disabled')).toEqual(['crowd-3'])
    expect(await names('search=example.net')).toHaveLength(50)
    expect(await names('search=example.net&page=2')).toHaveLength(1)
    expect(await names('search=crowd%25')).toEqual([])
    for (const query of ['page=99999999999999', 'page=-1', 'order=toString', 'state=constructor', 'search=%00'])
      expect([query, (await desk.get(`${USERS}?${query}`)).status]).toEqual([query, 200])
  })

  test('leads to a new user, who chooses a password with a link', async () => {
    const wrong = await desk.post(`${USERS}new/`, { email: 'nobody', username: 'nina nee' })
    expect([wrong.status, textOf(wrong.text)]).toEqual([422, expect.stringContaining('Enter an email address')])
    const created = await desk.post(`${USERS}new/`, { email: 'nina@example.org', name: 'Nina' })
    const link = /id="link">[^<]*(\/accounts\/password\/new\/\?key=[\w-]+)</.exec(created.text)![1]!
    world.now = new Date(world.now.getTime() + 6 * 86_400_000)
    const browser = new HttpBrowser(world.base)
    const key = new URL(link, world.base).searchParams.get('key')!
    expect((await browser.get(link)).status).toBe(200)
    expect((await browser.post('/accounts/password/new/', { key, password: 'a new secret' })).status).toBe(200)
    await browser.signIn('nina', 'a new secret')
    expect(await isSignedIn(browser)).toBe(true)
    const taken = await desk.post(`${USERS}new/`, { email: 'NINA@example.org' })
    expect(taken.status).toBe(422)
  })
})

describe('a disabled account', () => {
  test('stops at once everywhere, keeps collecting, and works again when it is enabled', async () => {
    const ann = await world.person({ isDeveloper: true })
    const browser = await signInAs(ann)
    const { survey } = await addSurvey(ann, structure)
    const app = await registerApp(world, { owner: admin })
    const tokens = await tokensFor(world, app, ann)
    const bearer = () => statusWithToken(world, tokens.access_token)
    const url = await createLoginUrl(world, await world.person({ isDeveloper: true }), ann)
    // All credentials are in the caches of the server.
    expect([await me(ann, ann.password), await me(ann, ann.apiKey), await bearer()]).toEqual([200, 200, 200])

    const asked = textOf((await desk.get(pageOfUser(ann, 'disable/'))).text)
    expect(asked).toContain('Live surveys keep collecting responses')
    expect((await desk.post(pageOfUser(ann, 'disable/'))).to).toBe(pageOfUser(ann))

    expect([await me(ann, ann.password), await me(ann, ann.apiKey), await bearer()]).toEqual([401, 401, 401])
    expect((await ann.get('/api/v3/')).status).toBe(401)
    expect(await isSignedIn(browser)).toBe(false)
    expect((await new HttpBrowser(world.base).get(url)).status).toBe(410)
    const again = new HttpBrowser(world.base)
    const right = await again.signIn(ann.actor.username, ann.password)
    expect([right.status, textOf(right.text)]).toEqual([401, expect.stringContaining('This account is disabled')])
    const wrong = await again.signIn(ann.actor.username, 'wrong')
    expect(textOf(wrong.text)).not.toContain('disabled')
    expect((await refresh(world, app, tokens.refresh_token)).status).toBe(400)
    await again.post('/accounts/password/', { username: ann.actor.username })
    await world.runJobs()
    const links = await world.application.services.pool.query('select from account_link where account_id = $1', [
      ann.actor.id,
    ])
    expect(links.rowCount).toBe(0)

    const respondent = new HttpBrowser(world.base)
    const address = `/surveys/${ann.actor.username}/${survey.slug}/`
    expect((await respondent.get(address)).status).toBe(200)

    await desk.post(pageOfUser(ann, 'enable/'))
    expect([await me(ann, ann.password), await me(ann, ann.apiKey), await bearer()]).toEqual([200, 200, 200])
    expect(await isSignedIn(browser)).toBe(false)
    await again.signIn(ann.actor.username, ann.password)
    expect(await isSignedIn(again)).toBe(true)
  })

  test('cannot be the own account, or the last administrator', async () => {
    expect((await desk.get(pageOfUser(admin, 'disable/'))).status).toBe(404)
    expect((await desk.post(pageOfUser(admin, 'disable/'))).status).toBe(404)
  })
})

describe('a user', () => {
  test('gets a link for a new password, which ends the sessions', async () => {
    const ann = await world.person()
    const browser = await signInAs(ann)
    const page = await desk.post(pageOfUser(ann, 'password/'))
    const key = /new\/\?key=([\w-]+)</.exec(page.text)![1]!
    await new HttpBrowser(world.base).post('/accounts/password/new/', { key, password: 'another secret' })
    expect(await isSignedIn(browser)).toBe(false)
    expect(await me(ann, 'another secret')).toBe(200)
  })

  test('hands surveys over to another user, and can be erased unless others work on a survey', async () => {
    const [ann, bob] = [await world.person({ name: 'Ann' }), await world.person()]
    const { survey } = await addSurvey(ann, structure)
    const wrong = await desk.post(pageOfUser(ann, 'hand-over/'), { email: ann.actor.email })
    expect(wrong.status).toBe(422)
    const done = await desk.post(pageOfUser(ann, 'hand-over/'), { email: bob.actor.email.toUpperCase() })
    expect(done.to).toBe(pageOfUser(ann))
    expect((await bob.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(200)
    expect((await ann.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(404)
    expect((await desk.post(pageOfUser(ann, 'erase/'), { current: 'wrong' })).status).toBe(422)
    expect((await desk.post(pageOfUser(ann, 'erase/'), { current: admin.password })).to).toBe(USERS)
    expect((await desk.get(pageOfUser(ann))).status).toBe(404)
    expect(await me(ann, ann.password)).toBe(401)
    expect((await bob.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(200)
  })
})
