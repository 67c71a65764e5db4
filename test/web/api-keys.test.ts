import { describe, expect, test } from '@jest/globals'
import { signInAsNewUser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const DAY_MS = 86_400_000

/** Creates a key on the page of a new user. */
async function keyWith(fields: Record<string, string>) {
  const { person, browser } = await signInAsNewUser(world)
  await browser.get('/account/keys/')
  const page = await browser.post('/account/keys/', { name: 'Dashboard', ...fields })
  const key = /id="new-key">([^<]+)/.exec(page.text)?.[1] ?? ''
  return { person, browser, page, client: world.anonymous.with(person.actor.username, key), key }
}

describe('an API key of the page', () => {
  test('for reading reads, and writes nothing with either pair of credentials', async () => {
    const { person, client, key, browser } = await keyWith({ access: 'read' })
    const survey = (await person.post('/api/v3/surveys/', { json: { name: 'Drinks' } })).body
    const path = `/api/v3/surveys/${survey.id}/`
    for (const each of [client, world.anonymous.with(key, person.password)]) {
      expect((await each.get(path)).status).toBe(200)
      for (const reply of [
        await each.post('/api/v3/surveys/', { json: { name: 'Another' } }),
        await each.put(`${path}settings/`, { json: { max_responses: 5 } }),
        await each.delete(path),
      ])
        expect([reply.status, reply.body]).toEqual([
          403,
          expect.objectContaining({ code: 'insufficient_scope', detail: 'This API key is for reading only.' }),
        ])
      expect((await each.post('/api/v2/surveys/', { json: { name: 'Another' } })).status).toBe(403)
    }
    // The password alone still writes.
    expect((await world.anonymous.with(person.actor.username, person.password).delete(path)).status).toBe(200)
    expect((await browser.get('/account/keys/')).text).toContain('read only')
  })

  test('stops working when it expires, also if the server has just accepted it', async () => {
    const { client, browser } = await keyWith({ expires: '30' })
    const start = world.now
    world.now = new Date(start.getTime() + 30 * DAY_MS - 5_000)
    expect((await client.get('/api/v3/surveys/')).status).toBe(200)
    world.now = new Date(start.getTime() + 30 * DAY_MS)
    expect((await client.get('/api/v3/surveys/')).status).toBe(401)
    world.now = start
    expect((await browser.get('/account/keys/')).text).toContain('Expires')
  })

  test('shows when it was last used', async () => {
    const { client, browser } = await keyWith({})
    expect((await browser.get('/account/keys/')).text).toContain('not used yet')
    await client.get('/api/v3/surveys/')
    expect((await browser.get('/account/keys/')).text).toMatch(/last used <time/)
  })

  test('of a developer account for reading creates no login link', async () => {
    const { person, key } = await keyWith({ access: 'read' })
    await world.em().getConnection().execute('update account set is_developer = true where id = ?', [person.actor.id])
    const login = (apiKey: string) =>
      world.anonymous.post('/api/v2/accounts/generate-login-url/', {
        json: { key: apiKey, username: person.actor.username, password: person.password },
      })
    expect((await login(key)).status).toBe(401)
    expect((await login(person.apiKey)).status).toBe(200)
  })

  test('cannot have another lifetime than those of the form', async () => {
    const { page } = await keyWith({ expires: '100000' })
    expect(page.status).toBe(422)
  })
})
