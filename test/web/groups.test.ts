import { describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const GROUPS = '/account/groups/'

/** Creates a group and a survey of one account, and an account that is not yet a member. */
async function createGroupPage() {
  const [ann, bob] = [await world.person({ name: 'Ann' }), await world.person({ name: 'Bob' })]
  const survey = await makeSurvey(ann, { title: 'Tea' })
  const [owner, member] = [await signInAs(ann), await signInAs(bob)]
  await owner.get(GROUPS)
  const { to } = await owner.post(GROUPS, { name: 'Kitchen' })
  return { ann, bob, survey, owner, member, group: to! }
}

describe('a group page', () => {
  test('creates, renames and deletes a group, and rejects a blank name', async () => {
    const { ann, owner, group } = await createGroupPage()
    expect((await owner.post(GROUPS, { name: ' ' })).text).toMatch(/id="name-error"/)
    expect((await owner.post(group, { name: ' ' })).text).toMatch(/id="name-error"/)
    await owner.post(group, { name: 'Customer research (Oslo)' })
    expect((await owner.get(GROUPS)).text).toContain('>Customer research (Oslo)</a>')
    expect((await ann.get('/api/v2/groups/')).body.groups[0].name).toBe('CustomerresearchOslo')
    await owner.post(group, { name: 'Pantry' })
    expect((await owner.get(GROUPS)).text).toContain('>Pantry</a>')
    expect((await owner.get(`${group}delete/`)).text).toContain('Delete “Pantry”?')
    await owner.post(`${group}delete/`)
    expect((await owner.get(group)).status).toBe(404)
  })

  test('grants members exactly the access of their roles', async () => {
    const { ann, bob, owner, member, group, survey } = await createGroupPage()
    const unknown = await owner.post(`${group}members/`, { email: 'unknown@example.org' })
    expect(unknown.text).toMatch(/id="email-error">No account uses this email address/)
    await owner.post(`${group}members/`, [
      ['email', bob.actor.email],
      ['roles', 'Publish'],
      ['roles', 'Analyze'],
    ])
    expect((await owner.get(group)).text).toContain(
      'Can view, edit, export and delete responses and reports · Can open and close the survey',
    )
    await owner.post(`${group}surveys/`, { survey: String(survey) })
    expect((await owner.get(group)).text).toContain(`aria-label="Stop sharing Tea"`)

    const memberPage = (await member.get(group)).text
    expect(memberPage).toContain(
      'Can view, edit, export and delete responses and reports · Can open and close the survey',
    )
    for (const action of ['Invite a colleague', 'Rename', 'Stop sharing', 'Remove'])
      expect(memberPage).not.toContain(action)
    const list = (await member.get('/account/surveys/')).text
    expect(list).toContain(`<td>${ann.actor.username}</td>`)
    expect(list).toContain('aria-label="Close Tea"')
    for (const action of ['Duplicate Tea', 'Delete Tea', 'Edit Tea', 'New tag<']) expect(list).not.toContain(action)
    expect((await member.post(`${group}members/`, { email: bob.actor.email, roles: 'Edit' })).status).toBe(403)
    expect((await member.post(`${group}surveys/remove/`, { survey: String(survey) })).status).toBe(403)

    await owner.post(`${group}members/`, { email: bob.actor.email, roles: 'Edit' })
    const editorList = (await member.get('/account/surveys/')).text
    expect(editorList).not.toContain('aria-label="Close Tea"')
    for (const action of ['Duplicate Tea', 'Edit Tea', 'New tag<']) expect(editorList).toContain(action)
    await owner.post(`${group}members/`, { email: `\u200b${bob.actor.email.toUpperCase()}\u2060` })
    expect((await owner.get(group)).text).toContain('No roles')
    await owner.post(`${group}surveys/remove/`, { survey: String(survey) })
    expect((await member.get('/account/surveys/')).text).not.toContain('>Tea<')
    await owner.post(`${group}members/remove/`, { email: bob.actor.email })
    expect((await member.get(group)).status).toBe(404)
  })

  test('returns 404 for groups and surveys of other users', async () => {
    const { group, survey } = await createGroupPage()
    const eve = await signInAs(await world.person())
    for (const path of ['', 'delete/']) expect((await eve.get(group + path)).status).toBe(404)
    for (const path of ['', 'delete/', 'members/', 'surveys/'])
      expect((await eve.post(group + path, { name: 'x', email: 'x@example.org', survey: String(survey) })).status).toBe(
        404,
      )
    const { to } = await eve.post(GROUPS, { name: 'Mine' })
    expect((await eve.post(`${to}surveys/`, { survey: String(survey) })).status).toBe(404)
  })
})

onEveryScreen('the groups pages', 'have no accessibility violations', async ({ page, expectClean, signIn }) => {
  const { ann, bob, owner, group, survey } = await createGroupPage()
  await owner.post(`${group}members/`, { email: bob.actor.email, roles: 'Analyze' })
  await owner.post(`${group}surveys/`, { survey: String(survey) })
  await page.goto(world.base + group)
  await signIn(ann)
  await page.getByRole('heading', { name: '1 member' }).waitFor()
  await page.locator('details.change summary').click()
  await expectClean('group')
  await page.getByRole('link', { name: 'All groups' }).click()
  await page.getByRole('heading', { name: 'Your groups' }).waitFor()
  await expectClean('groups')
})
