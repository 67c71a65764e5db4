import { describe, expect, test } from '@jest/globals'
import { settingFields } from '../../src/web/app/settings/fields.ts'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function openSettings(structure: object = { title: 'Tea' }) {
  const person = await world.person()
  const id = await makeSurvey(person, structure)
  const browser = await signInAs(person)
  const root = `/account/surveys/${id}/edit/settings/`
  const settings = async () => (await person.get(`/api/v3/surveys/${id}/settings/`)).body
  const page = await browser.get(root)
  return { person, browser, root, settings, page, id, form: fieldsIn(page.text) }
}

/** Returns the fields of the form as a browser submits them. */
function fieldsIn(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  const form = text.slice(text.indexOf('class="settings"'), text.lastIndexOf('</form>'))
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const [, name] = /name="([^"]*)"/.exec(tag)!
    const [, value] = /value="([^"]*)"/.exec(tag) ?? ['', '']
    if (!tag.includes('type="checkbox"') || tag.includes(' checked')) fields[name!] = value!
  }
  for (const [, name, value] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>([^<]*)</g)) fields[name!] = value!
  return fields
}
const errorOf = (text: string, name: string) => new RegExp(`id="${name}-error">([^<]*)<`).exec(text)?.[1]

describe('the settings page of a survey', () => {
  test('has a field for every setting that the API returns, except `live`', async () => {
    const { settings, page } = await openSettings()
    const names = Object.entries(await settings()).flatMap(([name, value]) =>
      name === 'custom_authentication'
        ? Object.keys(value as object).map((inner) => `${name}.${inner.replace('_set', '')}`)
        : [name],
    )
    // The survey is opened and closed by a button of the overview, which requires another role.
    expect(names.filter((name) => name !== 'live').sort()).toEqual(settingFields.map(({ name }) => name).sort())
    for (const { name } of settingFields) expect(page.text).toContain(`name="${name}"`)
    expect(page.text).toContain(`${world.base}/surveys/person1/tea/sign-in/`)
  })

  test('changes nothing when submitted unchanged', async () => {
    const { browser, root, settings, form, person, id } = await openSettings()
    const original = await settings()
    expect((await browser.post(root, form)).status).toBe(303)
    expect(await settings()).toEqual(original)
    expect((await person.get(`/api/v3/surveys/${id}/versions/`)).body.count).toBe(1)
  })

  test('saves and shows every setting', async () => {
    const { browser, root, settings, form } = await openSettings()
    const { one_per_invite: _, progress_bar: __, store_ip: ___, ...rest } = form
    const fields = {
      ...rest,
      name: 'Tea time',
      open_at: '2026-01-02T03:04',
      close_at: '2027-01-02T03:04:05',
      max_responses: '12',
      closed_message: 'Gone <b>\r\nfishing',
      password: 'open sesame',
      invite_only: 'on',
      anonymous: 'on',
      redirect_url: 'https://example.org/done',
      'custom_authentication.endpoint_uri': 'https://id.example.org/',
      'custom_authentication.client_secret': 'hush',
    }
    expect((await browser.post(root, fields)).status).toBe(303)
    const page = await browser.get(root)
    expect(page.text).toContain('Settings saved.')
    expect(await settings()).toMatchObject({
      open_at: '2026-01-02T03:04:00.000Z',
      close_at: '2027-01-02T03:04:05.000Z',
      max_responses: 12,
      closed_message: 'Gone <b>\nfishing',
      password: true,
      invite_only: true,
      one_per_invite: false,
      progress_bar: false,
      back_button: true,
      anonymous: true,
      store_ip: false,
      redirect_url: 'https://example.org/done',
      custom_authentication: {
        enabled: false,
        endpoint_uri: 'https://id.example.org',
        client_secret_set: true,
        scope: '',
      },
    })
    const saved = fieldsIn(page.text)
    expect(saved).toMatchObject({ name: 'Tea time', open_at: '2026-01-02T03:04', close_at: '2027-01-02T03:04:05' })
    expect(page.text).not.toContain('sesame')
    expect(page.text).not.toContain('hush')
    // An empty field keeps its secret; a check box removes the secret.
    await browser.post(root, { ...saved, 'password.remove': 'on' })
    expect(await settings()).toMatchObject({ password: false, custom_authentication: { client_secret_set: true } })
  })

  test('lists errors with links, shows each beside its field, keeps the input and saves nothing', async () => {
    const { browser, root, settings, form } = await openSettings()
    const original = await settings()
    const rejected = await browser.post(root, {
      ...form,
      name: 'Other',
      max_responses: '0',
      close_at: 'tomorrow',
      redirect_url: 'javascript:alert(1)',
      thank_you_message: 'Thanks',
    })
    expect(rejected.status).toBe(422)
    expect(errorOf(rejected.text, 'max_responses')).toBe('Response limit must be a whole number of at least 1.')
    expect(errorOf(rejected.text, 'close_at')).toContain('Closes at (UTC) must be a date')
    expect(errorOf(rejected.text, 'redirect_url')).toContain('Redirect to must start with https:// or http://')
    const links = [...rejected.text.matchAll(/<li><a href="#([^"]+)">([^<]+)<\/a>/g)]
    expect(links.map(([, id, text]) => [id, text])).toEqual(
      ['close_at', 'max_responses', 'redirect_url'].map((name) => [name, errorOf(rejected.text, name)]),
    )
    for (const [, id] of links) expect(rejected.text).toContain(` id="${id}"`)
    expect(fieldsIn(rejected.text)).toMatchObject({ name: 'Other', thank_you_message: 'Thanks' })
    expect(await settings()).toEqual(original)
    expect(errorOf((await browser.post(root, { ...form, name: ' ' })).text, 'name')).toBe('Name must not be blank.')
  })

  test('saves title and description of each language as a version', async () => {
    const { browser, root, form, person, id } = await openSettings({
      title: { en: 'Tea', fr: 'Thé' },
      languages: [{ code: 'en', isDefault: true }, { code: 'fr' }],
      colour: 'green',
    })
    expect(form).toMatchObject({ 'title.en': 'Tea', 'title.fr': 'Thé', 'description.fr': '' })
    await browser.post(root, { ...form, 'title.fr': 'Du thé', 'description.en': 'Short' })
    const { body } = await person.get(`/api/v3/surveys/${id}/structure/`)
    expect(body).toMatchObject({ title: { en: 'Tea', fr: 'Du thé' }, description: { en: 'Short' }, colour: 'green' })
    const conflicting = await browser.post(root, { ...form, 'title.en': 'Second' })
    expect(conflicting.status).toBe(422)
    expect(conflicting.text).toContain('The current version is 2')
    const empty = await browser.post(root, {
      ...fieldsIn((await browser.get(root)).text),
      'title.en': '',
      'title.fr': ' ',
    })
    expect(errorOf(empty.text, 'title.en')).toBe('Title (en) must not be blank.')
  })

  test('cannot turn off anonymity once there are responses', async () => {
    const { browser, root, form, id, person } = await openSettings({
      title: 'Tea',
      form: [{ children: [{ idname: 'text-response', id: 'a', title: 'A' }] }],
    })
    await browser.post(root, { ...form, anonymous: 'on' })
    await person.post(`/api/v3/surveys/${id}/responses/`, { json: { a: 'x' } })
    const rejected = await browser.post(root, form)
    expect(rejected.status).toBe(422)
    expect(errorOf(rejected.text, 'anonymous')).toBe('Anonymous cannot be turned off once there are responses.')
  })
})
