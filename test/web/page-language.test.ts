import { describe, expect, test } from '@jest/globals'
import { catalogs } from '../../src/web/i18n/catalog.ts'
import { signInAsNewUser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()

describe('the language and the time zone of the pages', () => {
  const NO_CHOICE = { language: '', time_zone: '' }

  test('are those of the account, on every page and without JavaScript', async () => {
    const { browser, id, root } = await signInOwner(world)
    const german = { language: 'de', time_zone: 'Europe/Berlin' }
    expect(await browser.post('/account/locale/', german)).toMatchObject({ status: 303, to: '/account/' })
    const account = await browser.get('/account/')
    expect(account.text).toContain('<html lang="de" dir="ltr">')
    expect(account.text).toContain('Sprache und Zeitzone gespeichert.')
    expect(account.text).toMatch(/<time datetime="[^"]+Z">[^<]+ (MEZ|MESZ)</)
    const survey = `/account/surveys/${id}/`
    const ofSurvey = [
      '',
      'edit/',
      'edit/settings/',
      'edit/theme/',
      'edit/versions/',
      'reports/',
      'invitations/',
      'embeds/',
      'fieldwork/',
      'collectors/',
      'webhooks/new/',
    ]
    const paths = [
      '',
      'surveys/',
      'surveys/new/',
      'contacts/',
      'contacts/import/',
      'groups/',
      'webhooks/',
      'keys/',
      'delete/',
    ]
    const pages = [
      ...paths.map((path) => `/account/${path}`),
      ...ofSurvey.map((path) => survey + path),
      root,
      `${root}download/`,
    ]
    for (const path of pages) {
      const { status, text } = await browser.get(path)
      expect({ path, status, english: englishIn(text) }).toEqual({ path, status: 200, english: [] })
    }
    await browser.post('/account/locale/', NO_CHOICE)
    expect((await browser.get('/account/')).text).toContain('<html lang="en" dir="ltr">')
  })

  test('are those of the browser before sign-in', async () => {
    const headers = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' }
    const german = await fetch(`${world.base}/accounts/login/`, { headers })
    expect(await german.text()).toMatch(/<html lang="de" dir="ltr">[\s\S]*Passwort vergessen\?/)
    const other = await fetch(`${world.base}/accounts/login/`, { headers: { 'accept-language': 'fi' } })
    expect(await other.text()).toContain('<html lang="en" dir="ltr">')
  })

  test('apply to errors in forms, but not to entered values', async () => {
    const { browser } = await signInAsNewUser(world)
    await browser.post('/account/locale/', { language: 'de', time_zone: '' })
    const { text } = await browser.post('/account/', { name: 'Delete account', email: 'none', current: '' })
    expect(text).toContain('Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.')
    expect(text).toContain('value="Delete account"')
  })

  test('are rejected if they do not exist', async () => {
    const { browser } = await signInAsNewUser(world)
    const language = await browser.post('/account/locale/', { language: 'xx', time_zone: '' })
    expect(language.status).toBe(422)
    expect(language.text).toContain('Language of the pages is not an accepted value.')
    const zone = await browser.post('/account/locale/', { language: '', time_zone: 'Europe/Nowhere' })
    expect(zone.status).toBe(422)
    expect(zone.text).toContain('Time zone is not an accepted value.')
  })
})

/** Returns the English sentences of at least three words that a page in German contains. */
function englishIn(text: string): string[] {
  const shown = text.replace(/<script[\s\S]*?<\/script>/g, '').replaceAll('&#39;', "'")
  return [...catalogs.de!.texts]
    .filter(([english, german]) => english !== german && !/[{<]/.test(english) && english.split(' ').length > 2)
    .flatMap(([english]) => (shown.includes(english) ? [english] : []))
}
