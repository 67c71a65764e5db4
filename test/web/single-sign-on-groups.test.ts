import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { assertGroupRoles } from '../../src/domain/single-sign-on/groups.ts'
import { signInProviders } from '../../src/lib/provider-file.ts'
import { addMember, makeGroup } from '../support/groups.ts'
import { unescapeHtml } from '../support/html.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { useOidcProvider } from '../support/oidc-provider.ts'
import { type Person, useWorld } from '../support/world.ts'

const oidc = useOidcProvider()
const file = join(mkdtempSync(join(tmpdir(), 'canvass-oidc-')), 'providers.json')
const GROUPS = { research: 1, press: 2 }
beforeAll(() => {
  const groups = [
    { name: '/staff/research', group: GROUPS.research, roles: 'View Edit' },
    { name: '/staff/heads', group: GROUPS.research, roles: 'Publish' },
    { name: '/staff/press', group: GROUPS.press, roles: 'Report' },
    { name: '/staff/gone', group: 999_999, roles: 'Report' },
  ]
  const provider = { id: 'company', name: 'Example Ltd', issuer: oidc.endpoint, client_id: 'survey-service' }
  const rest = { client_secret: oidc.clientSecret, scope: 'openid email groups', create_accounts: true, groups }
  writeFileSync(file, JSON.stringify([{ ...provider, ...rest }]))
})
const world = useWorld({ settings: { OIDC_PROVIDERS_FILE: file } })
let owner: Person
beforeAll(async () => {
  oidc.scope = 'openid email groups'
  oidc.redirectUris = [`${world.base}/accounts/sign-in/company/callback/`]
  owner = await world.person({ name: 'Olga Owner' })
  expect([await makeGroup(owner, 'Research'), await makeGroup(owner, 'Press')]).toEqual([1, 2])
})

let count = 0
/** Another person appears at the provider. */
function arrive(groups?: unknown) {
  count += 1
  oidc.person = { sub: `subject-${count}`, email: `arrival${count}@example.org`, email_verified: true, groups }
  return oidc.person
}

/** Signs in at the provider, in a new browser. */
async function signIn() {
  const browser = new HttpBrowser(world.base)
  let reply = await browser.get('/accounts/sign-in/company/')
  while (reply.to && !reply.to.includes('/callback/')) reply = await browser.get(new URL(reply.to, oidc.endpoint).href)
  expect((await browser.get(reply.to!)).status).toBe(303)
  return browser
}

/** Returns the roles of a person in each group. */
async function rolesOf({ email }: { email?: string }) {
  const { rows } = await world.application.services.pool.query<{ group_id: number; roles: string[] }>(
    `select group_id, roles from group_member m join account a on a.id = m.account_id where email = $1 order by 1`,
    [email],
  )
  return Object.fromEntries(rows.map(({ group_id, roles }) => [group_id, roles.join(' ')]))
}

describe('the groups of a provider', () => {
  test('make a person a member at each sign-in, with the roles of all groups, and end the membership', async () => {
    const person = arrive(['/staff/research', '/staff/heads', '/staff/unknown'])
    const browser = await signIn()
    expect(await rolesOf(person)).toEqual({ 1: 'Edit Publish Report View' })
    oidc.person.groups = ['/staff/research', '/staff/press']
    await signIn()
    expect(await rolesOf(person)).toEqual({ 1: 'Edit Report View', 2: 'Report' })
    oidc.person.groups = []
    await signIn()
    expect(await rolesOf(person)).toEqual({})
    const log = unescapeHtml((await browser.get('/account/security/')).text.replace(/<[^>]*>/g, ' '))
    expect(log.match(/Roles of/g)).toHaveLength(3)
    expect(log.match(/removed from group/g)).toHaveLength(2)
  })

  test.each([
    ['absent', undefined],
    ['a link, as Entra sends it for many', { endpoint: 'x' }],
    ['no list of texts', [1]],
  ])('change nothing if the claim is %s', async (_, claim) => {
    const person = arrive(['/staff/press'])
    await signIn()
    oidc.person.groups = claim
    await signIn()
    expect(await rolesOf(person)).toEqual({ 2: 'Report' })
  })

  test('change no membership that a person made, not even after it was made by the provider', async () => {
    const person = arrive(['/staff/press'])
    await signIn()
    const { id } = (await world
      .em()
      .getKysely<{ account: { id: number; email: string } }>()
      .selectFrom('account')
      .select('id')
      .where('email', '=', person.email!)
      .executeTakeFirst())!
    const member = { actor: { id, email: person.email! } } as Person
    await addMember(owner, GROUPS.press, member, 'Deploy')
    for (const groups of [['/staff/press'], []]) {
      oidc.person.groups = groups
      await signIn()
      expect(await rolesOf(person)).toEqual({ 2: 'Deploy' })
    }
  })

  test('do not make the owner of a group a member', async () => {
    arrive(['/staff/press'])
    oidc.person.email = owner.actor.email
    const browser = await signInAs(owner)
    await browser.get('/account/')
    let reply = await browser.get('/accounts/sign-in/company/?for=connect')
    while (reply.to && !reply.to.includes('/callback/'))
      reply = await browser.get(new URL(reply.to, oidc.endpoint).href)
    await browser.get(reply.to!)
    await signIn()
    expect(await rolesOf(oidc.person)).toEqual({})
  })
})

describe('the rules about groups in the file of the providers', () => {
  test.each([
    ['no list', {}],
    ['a rule without a group', [{ name: 'a', roles: 'View' }]],
    ['a rule with another member', [{ name: 'a', group: 1, roles: 'View', admin: true }]],
    ['too many rules', Array.from({ length: 201 }, () => ({ name: 'a', group: 1, roles: 'View' }))],
  ])('are rejected: %s', (_, groups) => {
    const provider = { id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'a' }
    writeFileSync(`${file}.2`, JSON.stringify([{ ...provider, groups }]))
    expect(() => signInProviders(`${file}.2`, 'OIDC_PROVIDERS_FILE')).toThrow(
      '“groups” of item 1 must be a list of up to',
    )
  })

  test('are rejected with an unknown role', () => {
    const groups = [{ name: 'a', group: 1, roles: 'View Rule' }]
    expect(() => assertGroupRoles([{ id: 'company', groups }])).toThrow('the roles “View Rule” of “company”')
  })
})
