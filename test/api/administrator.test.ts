import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { Account } from '../../src/domain/account/account.ts'
import { type AdminSettings, upsertAdmin } from '../../src/domain/account/commands.ts'
import { signInAs } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const key = () => randomBytes(20).toString('hex')

/** Applies the settings as at a start. */
const start = (admin: AdminSettings) => world.em().transactional((em) => upsertAdmin({ ...world.context(), em }, admin))
const settings = ({ actor, password }: Person): AdminSettings => ({
  username: actor.username,
  email: actor.email,
  password,
})
const me = async (name: string, secret: string) => (await world.anonymous.with(name, secret).get('/api/v3/')).status

describe('the administrator account of the settings', () => {
  test('prevents the start, with instructions, when another account has its email address', async () => {
    const mallory = await world.person({ email: 'admin@example.com' })
    const admin = { username: 'root', email: 'ADMIN@example.com', password: 'a long secret' }
    await expect(start(admin)).rejects.toThrow(
      `ADMIN_EMAIL: ADMIN@example.com is the address of the account "${mallory.actor.username}". Set another address`,
    )
    expect((await mallory.get(`/api/v3/users/${mallory.actor.id}/`)).body.username).toBe(mallory.actor.username)
    expect((await world.em().findOneOrFail(Account, mallory.actor.id)).isDeveloper).toBe(false)
    expect(await me('root', 'a long secret')).toBe(401)
  })

  test('loses its earlier credentials if it was an ordinary account before', async () => {
    const ann = await world.person()
    const browser = await signInAs(ann)
    const apiKey = key()
    await start({ ...settings(ann), apiKey })
    expect(await me(ann.actor.username, ann.apiKey)).toBe(401)
    expect((await browser.get('/account/')).status).toBe(303)
    expect([await me(ann.actor.username, ann.password), await me(ann.actor.username, apiKey)]).toEqual([200, 200])
  })

  test('keeps its API keys at every start', async () => {
    const ann = await world.person({ isDeveloper: true })
    const browser = await signInAs(ann)
    const created = await browser.post('/account/keys/', { name: 'nightly export' })
    const [, named] = /<code class="secret" id="new-key">(\w{40})</.exec(created.text)!
    const apiKey = key()
    for (const setting of [apiKey, apiKey, undefined]) await start({ ...settings(ann), apiKey: setting })
    expect(await me(ann.actor.username, named!)).toBe(200)
  })

  test('loses its previous key when ADMIN_API_KEY changes or is removed', async () => {
    const ann = await world.person({ isDeveloper: true })
    const { username } = ann.actor
    const [first, second, third] = [key(), key(), key()]
    await start({ ...settings(ann), apiKey: first })
    expect([await me(username, first), await me(username, ann.apiKey)]).toEqual([200, 401])
    expect(await start({ ...settings(ann), apiKey: second })).toEqual({ keyWorks: true })
    expect([await me(username, first), await me(username, second)]).toEqual([401, 200])
    expect(await start({ ...settings(ann), apiKey: first })).toEqual({ keyWorks: false })
    await start({ ...settings(ann), apiKey: third })
    await start(settings(ann))
    expect([await me(username, second), await me(username, third)]).toEqual([401, 401])
  })

  test('loses its API key when the settings name another account, which gets the key', async () => {
    const apiKey = key()
    const [ann, bob] = [await world.person({ isDeveloper: true }), await world.person({ isDeveloper: true })]
    await start({ ...settings(ann), apiKey })
    await start({ ...settings(bob), apiKey })
    expect([await me(ann.actor.username, apiKey), await me(bob.actor.username, apiKey)]).toEqual([401, 200])
  })

  test('requires a key of at least 32 characters', () => {
    const admin = { ADMIN_USERNAME: 'ann', ADMIN_EMAIL: 'ann@example.org', ADMIN_PASSWORD: 'a long secret' }
    const read = (key: string) => readConfig({ SECRET_KEY: 's'.repeat(32), ...admin, ADMIN_API_KEY: key }).admin
    expect(() => read('x'.repeat(31))).toThrow('ADMIN_API_KEY must have at least 32 characters')
    expect(read('x'.repeat(32))?.apiKey).toHaveLength(32)
  })
})
