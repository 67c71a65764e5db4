import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { saveScreenshot, violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { Visitor } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const GROUPS = '/account/groups/'

async function signedIn(person: Person): Promise<Visitor> {
  const visitor = new Visitor(world.base)
  await visitor.signIn(person.actor.username, person.password)
  return visitor
}

/** Somebody with a group and a survey, and somebody who is to be a member. */
async function scene() {
  const [ann, bob] = [await world.person({ name: 'Ann' }), await world.person({ name: 'Bob' })]
  const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea' } })).body.id as number
  const [owner, member] = [await signedIn(ann), await signedIn(bob)]
  await owner.get(GROUPS)
  const { to } = await owner.post(GROUPS, { name: 'Kitchen' })
  return { ann, bob, survey, owner, member, group: to! }
}

describe('a group page', () => {
  test('creates, renames and deletes a group; a name has letters and digits only', async () => {
    const { owner, group } = await scene()
    expect((await owner.post(GROUPS, { name: 'a b' })).text).toMatch(
      /id="name-error">Name must consist of letters and digits/,
    )
    expect((await owner.post(group, { name: '!' })).text).toMatch(/id="name-error"/)
    await owner.post(group, { name: 'Pantry' })
    expect((await owner.get(GROUPS)).text).toContain('>Pantry</a>')
    expect((await owner.get(`${group}delete/`)).text).toContain('Delete “Pantry”?')
    await owner.post(`${group}delete/`)
    expect((await owner.get(group)).status).toBe(404)
  })

  test('gives members exactly the access of their roles', async () => {
    const { ann, bob, owner, member, group, survey } = await scene()
    const nobody = await owner.post(`${group}members/`, { email: 'nobody@example.org' })
    expect(nobody.text).toMatch(/id="email-error">No account uses this email address/)
    await owner.post(`${group}members/`, [
      ['email', bob.actor.email],
      ['roles', 'Publish'],
      ['roles', 'Analyze'],
    ])
    expect((await owner.get(group)).text).toContain('Publish, Analyze')
    await owner.post(`${group}surveys/`, { survey: String(survey) })
    expect((await owner.get(group)).text).toContain(`aria-label="Stop sharing Tea"`)

    const seen = (await member.get(group)).text
    expect(seen).toContain('Publish, Analyze')
    for (const action of ['Add a member', 'Rename', 'Stop sharing', 'Remove']) expect(seen).not.toContain(action)
    const list = (await member.get('/account/surveys/')).text
    expect(list).toContain(`by ${ann.actor.username}, shared with you`)
    expect(list).toContain('aria-label="Live: Tea"')
    for (const action of ['Duplicate Tea', 'Delete Tea', 'Edit Tea', 'Tags<']) expect(list).not.toContain(action)
    expect((await member.post(`${group}members/`, { email: bob.actor.email, roles: 'Edit' })).status).toBe(403)
    expect((await member.post(`${group}surveys/remove/`, { survey: String(survey) })).status).toBe(403)

    await owner.post(`${group}members/`, { email: bob.actor.email, roles: 'Edit' })
    const editing = (await member.get('/account/surveys/')).text
    expect(editing).not.toContain('aria-label="Live: Tea"')
    for (const action of ['Duplicate Tea', 'Edit Tea', 'Tags<']) expect(editing).toContain(action)
    await owner.post(`${group}members/`, { email: bob.actor.email })
    expect((await owner.get(group)).text).toContain('No roles')
    await owner.post(`${group}surveys/remove/`, { survey: String(survey) })
    expect((await member.get('/account/surveys/')).text).not.toContain('>Tea<')
    await owner.post(`${group}members/remove/`, { email: bob.actor.email })
    expect((await member.get(group)).status).toBe(404)
  })

  test('returns 404 for groups and surveys of other users', async () => {
    const { group, survey } = await scene()
    const eve = await signedIn(await world.person())
    for (const path of ['', 'delete/']) expect((await eve.get(group + path)).status).toBe(404)
    for (const path of ['', 'delete/', 'members/', 'surveys/'])
      expect((await eve.post(group + path, { name: 'x', email: 'x@example.org', survey: String(survey) })).status).toBe(
        404,
      )
    const { to } = await eve.post(GROUPS, { name: 'Mine' })
    expect((await eve.post(`${to}surveys/`, { survey: String(survey) })).status).toBe(404)
  })
})

describe('the pages of groups', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  it.each([
    ['phone', 'light', 360],
    ['phone', 'dark', 360],
    ['desktop', 'light', 1280],
    ['desktop', 'dark', 1280],
  ] as const)(
    '%s, %s: axe-core finds nothing',
    async (name, colorScheme, width) => {
      const { ann, bob, owner, group, survey } = await scene()
      await owner.post(`${group}members/`, { email: bob.actor.email, roles: 'Analyze' })
      await owner.post(`${group}surveys/`, { survey: String(survey) })
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      context.setDefaultTimeout(15_000)
      const page = await context.newPage()
      await page.goto(world.base + group)
      await page.getByLabel('Username or email').fill(ann.actor.username)
      await page.getByLabel('Password').fill(ann.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: '1 member' }).waitFor()
      await page.locator('details.change summary').click()
      expect(await violations(page)).toEqual([])
      await saveScreenshot(page, `group-${name}-${colorScheme}`)
      await page.getByRole('link', { name: 'All groups' }).click()
      await page.getByRole('heading', { name: 'Your groups' }).waitFor()
      expect(await violations(page)).toEqual([])
      await saveScreenshot(page, `groups-${name}-${colorScheme}`)
      await context.close()
    },
    60_000,
  )
})
