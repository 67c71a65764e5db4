import { describe, expect, test } from '@jest/globals'
import type { Tables } from '../../src/domain/tables.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { eraseSurvey } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const PASSWORD = 'correct horse battery'
const DAY_MS = 86_400_000
const people = { count: 0 }
function newAddress(): string {
  people.count += 1
  return `colleague${people.count}@example.net`
}
const keyOf = (text: string) => /invitations\/\?key=([\w-]+)/.exec(text)?.[1] ?? ''

describe('the invitation of a colleague', () => {
  const world = useWorld({ settings: { RATE_LIMIT: 'on' } })
  const visitor = () => new HttpBrowser(world.base)

  /** Creates a survey, and opens its page of people as its owner. */
  async function openShare() {
    const ann = await world.person({ name: 'Ann' })
    const survey = await makeSurvey(ann, { title: 'Tea' })
    const owner = await signInAs(ann)
    const share = `/account/surveys/${survey}/share/`
    await owner.get(share)
    const invite = (email: string, roles: string[] = ['Edit', 'Analyze']) =>
      owner.post(`${share}invitations/`, [['email', email], ...roles.map((role): [string, string] => ['roles', role])])
    return { ann, owner, survey, share, invite }
  }
  const open = (key: string, browser = visitor()) => browser.get(`/accounts/invitations/?key=${key}`)

  test('creates an account that has exactly the invited roles on this survey, and signs in', async () => {
    const { ann, owner, survey, share, invite } = await openShare()
    const other = await makeSurvey(ann, { title: 'Coffee' })
    const email = newAddress()
    const shown = await invite(email)
    expect(shown.text).toContain('No mail server is set up, so no email was sent.')
    const key = keyOf(shown.text)
    expect(key).toHaveLength(43)
    expect((await owner.get(share)).text).not.toContain(key)
    const browser = visitor()
    const page = (await open(key, browser)).text
    for (const text of ['Work on “Tea”', 'Ann invites you', email, 'Can edit the survey']) expect(page).toContain(text)
    const short = await browser.post('/accounts/invitations/new/', { key, password: 'short' })
    expect([short.status, short.text]).toEqual([422, expect.stringContaining('id="password-error"')])
    const { status, to } = await browser.post('/accounts/invitations/new/', { key, password: PASSWORD })
    expect([status, to]).toEqual([303, `/account/surveys/${survey}/`])
    for (const [path, code] of [
      [`${survey}/edit/`, 200],
      [`${survey}/responses/`, 200],
      [`${survey}/invitations/`, 403],
      [`${survey}/share/`, 403],
      [`${other}/`, 404],
    ] as const)
      expect([path, (await browser.get(`/account/surveys/${path}`)).status]).toEqual([path, code])
    expect((await owner.get(share)).text).toContain(`<strong>${email}</strong>`)
    expect((await visitor().signIn(email, PASSWORD)).status).toBe(303)
    const again = await browser.post('/accounts/invitations/new/', { key, password: PASSWORD })
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('Invitation already accepted')])
  })

  test('lets an existing account accept, and says so if its address differs', async () => {
    const { survey, invite } = await openShare()
    const bob = await world.person({ name: 'Bob' })
    const key = keyOf((await invite(newAddress())).text)
    const browser = await signInAs(bob)
    expect((await open(key, browser)).text).toContain(`and you are signed in as ${bob.actor.email}`)
    expect((await browser.post('/accounts/invitations/', { key })).to).toBe(`/account/surveys/${survey}/`)
    expect((await bob.get(`/api/v3/surveys/${survey}/csv/`)).status).toBe(200)
    expect((await bob.delete(`/api/v3/surveys/${survey}/`)).status).toBe(403)

    const own = keyOf((await invite((await world.person()).actor.email)).text)
    const signedOut = await open(own)
    expect(signedOut.text).toContain('Sign in to accept')
    expect(signedOut.text).not.toContain('Choose a password')
    expect((await visitor().post('/accounts/invitations/', { key: own })).to).toMatch(/^\/accounts\/login\/\?next=/)
  })

  test('keeps the roles that a member already has, and gives nothing to the owner', async () => {
    const { ann, owner, survey, share, invite } = await openShare()
    const bob = await world.person()
    const browser = await signInAs(bob)
    for (const roles of [['Publish'], ['Edit']])
      await browser.post('/accounts/invitations/', { key: keyOf((await invite(newAddress(), roles)).text) })
    expect((await owner.get(share)).text).toContain('Can edit the survey · Can open and close the survey')
    const taken = await invite(bob.actor.email)
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('already has access')])
    expect((await invite(ann.actor.email)).text).toContain('is your own address')
    const key = keyOf((await invite(newAddress())).text)
    expect((await open(key, owner)).text).toContain('You made this invitation')
    expect((await owner.post('/accounts/invitations/', { key })).text).toContain('You made this invitation')
    expect(survey).toBeGreaterThan(0)
  })

  test('says what became of a link that was declined, withdrawn, replaced or has expired', async () => {
    const { owner, share, invite } = await openShare()
    const email = newAddress()
    const declined = keyOf((await invite(email)).text)
    expect((await visitor().post('/accounts/invitations/decline/', { key: declined })).text).toContain('not get access')
    expect((await open(declined)).text).toContain('This invitation was declined')
    expect((await owner.get(share)).text).toContain('<span class="tag open">Declined</span>')

    const withdrawn = keyOf((await invite(email)).text)
    const [, id] = /invitations\/(\d+)\/withdraw\//.exec((await owner.get(share)).text)!
    await owner.post(`${share}invitations/${id}/withdraw/`)
    expect((await open(withdrawn)).text).toContain('Ann has withdrawn this invitation')
    expect((await owner.post(`${share}invitations/${id}/resend/`)).status).toBe(404)

    const first = keyOf((await invite(email)).text)
    world.now = new Date(world.now.getTime() + 7 * DAY_MS + 1000)
    expect([(await open(first)).status, (await open(first)).text]).toEqual([
      410,
      expect.stringContaining('An invitation expires after 7 days. Ask Ann'),
    ])
    const expired = (await owner.get(share)).text
    expect(expired).toContain('<span class="tag open">Expired</span>')
    const [, latest] = /invitations\/(\d+)\/resend\//.exec(expired)!
    const second = keyOf((await owner.post(`${share}invitations/${latest}/resend/`)).text)
    expect(second).not.toBe(first)
    expect((await open(first)).text).toContain('There is no such invitation')
    expect((await visitor().post('/accounts/invitations/new/', { key: second, password: PASSWORD })).status).toBe(303)
    for (const path of ['', 'new/', 'decline/'])
      expect((await visitor().post(`/accounts/invitations/${path}`, { key: 'x', password: PASSWORD })).status).toBe(
        path ? 410 : 303,
      )
  })

  test('stores only a hash, and is used by one of two concurrent requests', async () => {
    const { invite } = await openShare()
    const email = newAddress()
    const key = keyOf((await invite(email)).text)
    const rows = await world
      .em()
      .getKysely<Tables>()
      .selectFrom('colleague_invitation')
      .selectAll()
      .where('email', '=', email)
      .execute()
    expect(JSON.stringify(rows)).not.toContain(key)
    expect(rows[0]!.hash.includes(key)).toBe(false)
    const [bob, eve] = [await signInAs(await world.person()), await signInAs(await world.person())]
    const replies = await Promise.all([bob, eve].map((browser) => browser.post('/accounts/invitations/', { key })))
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 410])
  })

  test('is limited to 100 links in 24 hours for each account', async () => {
    const { ann, invite } = await openShare()
    await invite(newAddress())
    const db = world.em().getKysely<Tables>()
    await db.updateTable('colleague_invitation').set({ sends: 100 }).where('inviter_id', '=', ann.actor.id).execute()
    const refused = await invite(newAddress())
    expect(refused.text).toContain('at most 100 colleagues a day')
    world.now = new Date(world.now.getTime() + DAY_MS + 1000)
    expect(keyOf((await invite(newAddress())).text)).not.toBe('')
  })

  test('is refused to everyone but the owner, and the team of a survey is in no list of groups', async () => {
    const { ann, share, owner, survey, invite } = await openShare()
    const bob = await world.person()
    const member = await signInAs(bob)
    await member.post('/accounts/invitations/', { key: keyOf((await invite(newAddress(), ['Edit'])).text) })
    await invite(newAddress())
    const [, id] = /invitations\/(\d+)\/withdraw\//.exec((await owner.get(share)).text)!
    const stranger = await signInAs(await world.person())
    for (const [browser, status] of [
      [member, 403],
      [stranger, 404],
    ] as const) {
      await browser.get('/account/')
      for (const path of ['', `${id}/resend/`, `${id}/withdraw/`])
        expect([
          path,
          (await browser.post(`${share}invitations/${path}`, { email: newAddress(), roles: 'Edit' })).status,
        ]).toEqual([path, status])
    }
    expect((await ann.get('/api/v2/groups/')).body.count).toBe(0)
    expect((await ann.get(`/api/v3/surveys/${survey}/groups/`)).body.count).toBe(0)
    await owner.post(`${share}members/`, { member: String(bob.actor.id), roles: 'Publish' })
    expect((await bob.get(`/api/v3/surveys/${survey}/structure/`)).status).toBe(403)
    await owner.post(`${share}members/remove/`, { member: String(bob.actor.id), email: bob.actor.email })
    expect((await bob.get(`/api/v3/surveys/${survey}/`)).status).toBe(404)
    const log = (await owner.get('/account/security/')).text
    for (const text of ['A colleague was invited to survey', 'removed from survey']) expect(log).toContain(text)
    expect((await eraseSurvey(ann, survey)).status).toBeLessThan(300)
    const groups = await world
      .em()
      .getKysely<Tables>()
      .selectFrom('account_group')
      .select('id')
      .where('owner_id', '=', ann.actor.id)
      .execute()
    expect(groups).toEqual([])
  })

  test('works from a group', async () => {
    const ann = await world.person({ name: 'Ann' })
    const owner = await signInAs(ann)
    await owner.get('/account/groups/')
    const group = (await owner.post('/account/groups/', { name: 'Kitchen' })).to!
    const email = newAddress()
    const key = keyOf((await owner.post(`${group}invitations/`, { email, roles: 'Analyze' })).text)
    expect((await open(key)).text).toContain('Work on “Kitchen”')
    const browser = visitor()
    expect((await browser.post('/accounts/invitations/new/', { key, password: PASSWORD })).to).toBe(group)
    expect((await browser.get(group)).status).toBe(200)
    await owner.post(`${group}invitations/`, { email: newAddress(), roles: 'Edit' })
    const [, id] = /invitations\/(\d+)\/withdraw\//.exec((await owner.get(group)).text)!
    expect(keyOf((await owner.post(`${group}invitations/${id}/resend/`)).text)).not.toBe('')
    await owner.post(`${group}invitations/${id}/withdraw/`)
    expect((await owner.get(group)).text).not.toContain('withdraw/')
  })
})

describe('the invitation of a colleague on a server with a mail server', () => {
  const world = useWorld({ settings: { SMTP_URL: 'smtp://127.0.0.1:9' } })

  test('sends the link to the person only, in the language of the owner', async () => {
    const ann = await world.person({ name: 'Ann' })
    const survey = await makeSurvey(ann, { title: 'Tea' })
    await world
      .em()
      .getKysely<Tables>()
      .updateTable('account')
      .set({ language: 'de' })
      .where('id', '=', ann.actor.id)
      .execute()
    const owner = await signInAs(ann)
    const share = `/account/surveys/${survey}/share/`
    await owner.get(share)
    const reply = await owner.post(`${share}invitations/`, { email: 'bob@example.net', roles: 'Edit' })
    expect(reply.to).toBe(share)
    expect((await owner.get(share)).text).not.toContain('key=')
    const { rows } = await world.application.services.pool.query<{ data: Record<string, string> }>(
      "select data from pgboss.job where name = 'send-system-email' and data->>'account' = $1",
      [String(ann.actor.id)],
    )
    expect(rows.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        to: 'bob@example.net',
        toName: '',
        subject: 'Einladung zur Arbeit an einer Umfrage',
        text: expect.stringContaining('Ann lädt Sie ein, an „Tea“ mitzuarbeiten'),
      }),
    ])
    expect(keyOf(rows[0]!.data.text!)).toHaveLength(43)
  })
})

const screens = useWorld()
onEveryScreen('the pages of people', 'have no accessibility violations', async ({ page, expectClean, signIn }) => {
  const ann: Person = await screens.person({ name: 'Ann' })
  const survey = await makeSurvey(ann, { title: 'Tea' })
  await page.goto(`${screens.base}/account/surveys/${survey}/share/`)
  await signIn(ann)
  await page.getByLabel('Email address').fill(newAddress())
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByText('No mail server is set up').waitFor()
  await expectClean('share')
  const link = await page.locator('#invitation-link').textContent()
  await page.context().clearCookies()
  await page.goto(link!)
  await page.getByLabel('Choose a password').waitFor()
  await expectClean('invitation')
})

describe('the invitation of a colleague with INVITE_NEW_ACCOUNTS=off', () => {
  const world = useWorld({ settings: { INVITE_NEW_ACCOUNTS: 'off' } })

  test('creates no account, not even by a link that was sent to an account which was deleted since', async () => {
    const ann = await world.person({ name: 'Ann' })
    const bob = await world.person()
    const survey = await makeSurvey(ann, { title: 'Tea' })
    const owner = await signInAs(ann)
    const share = `/account/surveys/${survey}/share/`
    expect((await owner.get(share)).text).toContain('The person needs an account on this server.')
    const invite = (email: string) => owner.post(`${share}invitations/`, { email, roles: 'View' })
    const refused = await invite(newAddress())
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('belongs to no account')])
    const key = keyOf((await invite(bob.actor.email)).text)
    await bob.delete(`/api/v3/users/${bob.actor.id}/`, { json: { password: bob.password } })
    const visitor = new HttpBrowser(world.base)
    const page = await visitor.get(`/accounts/invitations/?key=${key}`)
    expect(page.text).toContain('Ask your administrator for an account')
    expect(page.text).not.toContain('Choose a password')
    const tried = await visitor.post('/accounts/invitations/new/', { key, password: PASSWORD })
    expect([tried.status, tried.text]).toEqual([200, expect.stringContaining('Ask your administrator')])
    expect((await new HttpBrowser(world.base).signIn(bob.actor.email, PASSWORD)).status).not.toBe(303)
  })
})
