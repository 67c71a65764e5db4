import { beforeEach, describe, expect, test } from '@jest/globals'
import { passwordMatches } from '../../../src/domain/account/password.ts'
import { clientSecretOf } from '../../../src/domain/survey/parse-settings.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import { respond } from '../../support/respondents.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let uri: string
beforeEach(async () => {
  ann ??= await world.person({ username: 'ann' })
  const { body } = await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })
  id = body.id
  uri = body.survey_settings_uri
})

const defaults = {
  live: 1,
  open_at: null,
  close_at: null,
  closed_message: '',
  thank_you_message: '',
  max_responses: null,
  one_per_invite: true,
  invite_only: false,
  password: false,
  progress_bar: true,
  back_button: true,
  save_and_continue: true,
  kiosk: false,
  receipt: false,
  anonymous: false,
  store_ip: true,
  redirect_url: null,
  anonymity_threshold: 5,
  approval_required: false,
  custom_authentication: { enabled: false, endpoint_uri: '', client_secret_set: false, scope: '' },
}
const storedSettings = async () => (await getSnapshot(world.em(), id))!.settings
describe('getSettings [spec 5.6]', () => {
  test('returns the defaults for a new survey', async () => {
    expect(await ann.get(uri)).toMatchObject({ status: 200, body: defaults })
  })
})

describe('updateSettings [spec 5.6]', () => {
  test.each([
    ['live', 0, 0],
    ['open_at', '2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['close_at', '2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['close_at', '2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['closed_message', 'Too late.', 'Too late.'],
    ['thank_you_message', 'Merci !', 'Merci !'],
    ['max_responses', 5, 5],
    ['one_per_invite', false, false],
    ['invite_only', true, true],
    ['password', 'a secret', true],
    ['progress_bar', false, false],
    ['back_button', false, false],
    ['save_and_continue', false, false],
    ['kiosk', true, true],
    ['receipt', true, true],
    ['anonymous', true, true],
    ['store_ip', false, false],
    ['redirect_url', 'https://example.org/done?x=1', 'https://example.org/done?x=1'],
    ['anonymity_threshold', 10, 10],
    ['anonymity_threshold', '', 5],
    ['approval_required', true, true],
  ])('sets %s in JSON, form and multipart and keeps the other settings', async (member, value, expected) => {
    for (const sent of [
      { json: { [member]: value } },
      { form: { [member]: String(value) } },
      { multipart: { [member]: String(value) } },
    ]) {
      const reply = await ann.put(uri, sent)
      expect(reply).toMatchObject({ status: 200 })
      expect(reply.body).toEqual({ ...defaults, [member]: expected })
      expect((await ann.get(uri)).body).toEqual(reply.body)
    }
  })

  test('changes the given settings and removes those that are null or empty', async () => {
    await ann.put(uri, { json: { close_at: '2026-02-01', max_responses: 9, redirect_url: 'https://example.org/' } })
    await ann.put(uri, { form: { closed_message: 'Over.' } })
    expect((await ann.get(uri)).body).toMatchObject({ max_responses: 9, closed_message: 'Over.' })
    await ann.put(uri, { form: { close_at: '', max_responses: '', closed_message: '' } })
    await ann.put(uri, { json: { redirect_url: null } })
    expect((await ann.get(uri)).body).toEqual(defaults)
  })

  test('accepts the reply of getSettings', async () => {
    const authentication = { enabled: true, endpoint_uri: 'https://members.example.org/oauth', client_secret: 's' }
    await ann.put(uri, { json: { password: 'a secret', custom_authentication: authentication } })
    const { body } = await ann.get(uri)
    const before = await storedSettings()
    expect((await ann.put(uri, { json: body })).body).toEqual(body)
    expect(await storedSettings()).toEqual(before)
  })

  test('changes live of the survey itself', async () => {
    await ann.put(uri, { form: { live: 0 } })
    expect((await ann.get(`/api/v3/surveys/${id}/`)).body.live).toBe(0)
  })

  test('stores password as an Argon2id hash and returns only whether a password is set', async () => {
    const reply = await ann.put(uri, { json: { password: 'ötzi & söhne' } })
    expect(reply.text).not.toContain('ötzi')
    const { password_hash: hash } = await storedSettings()
    expect(hash).toMatch(/^\$argon2id\$/)
    expect(await passwordMatches(hash!, 'ötzi & söhne')).toBe(true)
    await ann.put(uri, { form: { closed_message: 'x' } })
    expect((await storedSettings()).password_hash).toBe(hash)
    await ann.put(uri, { json: { password: null } })
    expect((await ann.get(uri)).body.password).toBe(false)
  })

  test('sets custom_authentication with enabled, endpoint_uri and a write-only client_secret', async () => {
    const authentication = {
      enabled: true,
      endpoint_uri: 'https://members.example.org/oauth/',
      client_secret: 'hush-hush',
    }
    const reply = await ann.put(uri, { form: { custom_authentication: JSON.stringify(authentication) } })
    const expected = {
      enabled: true,
      endpoint_uri: 'https://members.example.org/oauth',
      client_secret_set: true,
      scope: '',
    }
    expect(reply.body.custom_authentication).toEqual(expected)
    const settings = await storedSettings()
    expect(JSON.stringify(settings)).not.toContain('hush')
    expect(clientSecretOf(world.application.services, settings)).toBe('hush-hush')
    expect(clientSecretOf({ secretKey: Buffer.alloc(32) }, settings)).toBeUndefined()
    await ann.put(uri, { json: { custom_authentication: { enabled: false } } })
    expect((await ann.get(uri)).body.custom_authentication).toEqual({ ...expected, enabled: false })
    await ann.put(uri, { json: { custom_authentication: { client_secret: null } } })
    expect(clientSecretOf(world.application.services, await storedSettings())).toBeUndefined()
  })

  test('returns 400 for a new endpoint_uri without a new client_secret [spec 12.1]', async () => {
    const { endpoint_uri, client_secret } = { endpoint_uri: 'https://members.example.org/oauth', client_secret: 'hush' }
    const put = (custom_authentication: object) => ann.put(uri, { json: { custom_authentication } })
    await put({ enabled: true, endpoint_uri, client_secret })
    const errors = [{ field: 'custom_authentication.client_secret' }]
    for (const other of ['https://example.net', `${endpoint_uri}/other`])
      expect(await put({ endpoint_uri: other })).toMatchObject({ status: 400, body: { errors } })
    expect(await put({ enabled: false, endpoint_uri: '' })).toMatchObject({ status: 400, body: { errors } })
    expect((await put({ endpoint_uri: `${endpoint_uri}/` })).status).toBe(200)
    expect((await put({ endpoint_uri: 'https://example.net', client_secret: 'new' })).status).toBe(200)
    expect(clientSecretOf(world.application.services, await storedSettings())).toBe('new')
    expect((await put({ enabled: false, endpoint_uri: null, client_secret: null })).status).toBe(200)
  })

  test('accepts http for an endpoint on the local machine [spec 12.1]', async () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
      const custom_authentication = { enabled: true, endpoint_uri: `http://${host}/a` }
      expect((await ann.put(uri, { json: { custom_authentication } })).status).toBe(200)
    }
  })

  test.each([
    ['live', { live: 2 }],
    ['open_at', { open_at: 'tomorrow' }],
    ['open_at', { open_at: '2026-02-30' }],
    ['close_at', { close_at: '12:00' }],
    ['close_at', { close_at: 5 }],
    ['close_at', { open_at: '2026-02-02', close_at: '2026-02-02' }],
    ['max_responses', { max_responses: 0 }],
    ['max_responses', { max_responses: 1.5 }],
    ['max_responses', { max_responses: 'many' }],
    ['closed_message', { closed_message: 'x'.repeat(10_001) }],
    ['thank_you_message', { thank_you_message: 'a\0b' }],
    ['invite_only', { invite_only: 'perhaps' }],
    ['password', { password: true }],
    ['password', { password: 'x'.repeat(1_001) }],
    ['redirect_url', { redirect_url: 'javascript:alert(1)' }],
    ['redirect_url', { redirect_url: '/thanks' }],
    ['redirect_url', { redirect_url: 'https://user:word@example.org/' }],
    ['custom_authentication.endpoint_uri', { custom_authentication: { enabled: true } }],
    ['custom_authentication.endpoint_uri', { custom_authentication: { endpoint_uri: 'http://example.org/' } }],
    ['custom_authentication.endpoint_uri', { custom_authentication: { endpoint_uri: 'https://example.org/?a' } }],
  ])('returns 400 with the name %s for %j', async (field, json) => {
    const reply = await ann.put(uri, { json })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ field }] } })
    expect((await ann.get(uri)).body).toEqual(defaults)
  })

  test('validates close_at against the stored open_at', async () => {
    await ann.put(uri, { json: { open_at: '2026-02-01' } })
    expect((await ann.put(uri, { json: { close_at: '2026-01-31' } })).status).toBe(400)
    expect((await ann.put(uri, { json: { close_at: '2026-02-02' } })).status).toBe(200)
  })

  test('returns 409 when anonymous is disabled after a response', async () => {
    await ann.put(uri, { json: { anonymous: true } })
    expect((await ann.put(uri, { json: { anonymous: false } })).status).toBe(200)
    await ann.put(uri, { json: { anonymous: true } })
    await respond(world, id)
    const conflict = { status: 409, body: { code: 'anonymity_locked' } }
    expect(await ann.put(uri, { json: { anonymous: false, closed_message: 'x' } })).toMatchObject(conflict)
    expect((await ann.put(uri, { json: { anonymous: true, closed_message: 'y' } })).status).toBe(200)
    expect((await ann.get(uri)).body).toMatchObject({ anonymous: true, closed_message: 'y' })
  })
})
