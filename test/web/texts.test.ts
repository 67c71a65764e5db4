import { describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const languages = [
  { code: 'en', name: 'English', isDefault: true },
  { code: 'sv', name: 'Svenska', isDefault: false },
]
const setUp = async () => {
  const person = await world.person()
  const { survey, path } = await addSurvey(person, { title: 'Bread', languages, form: [pageOf(text('why'))] })
  const browser = await signInAs(person)
  return { person, survey, address: world.base + path, browser, page: `/account/surveys/${survey.id}/edit/texts/` }
}

describe('the page of texts', () => {
  test('saves texts in a language, and shows them to respondents', async () => {
    const { browser, page, address } = await setUp()
    const english = await browser.get(page)
    expect(english.text).toContain('Your text must contain {n} and {of}.')
    expect((await browser.get(`${page}?to=sv`)).text).toContain('no translation into Svenska')
    const saved = await browser.post(`${page}?to=sv`, { 'text.submit': 'Skicka "nu"', 'seen.submit': '' })
    expect([saved.status, saved.to]).toEqual([303, `${page}?to=sv`])
    expect((await browser.get(`${page}?to=sv`)).text).toContain('Texts in Svenska saved.')
    expect(await (await fetch(`${address}?lang=sv`)).text()).toContain('Skicka &quot;nu&quot;</button>')
    expect(await (await fetch(address)).text()).toContain('Submit</button>')
  })

  test('rejects a text without its placeholder beside the field, and keeps what was entered', async () => {
    const { browser, page } = await setUp()
    const rejected = await browser.post(page, { 'text.progress': 'Side {n}', 'seen.progress': '' })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain('id="text.progress-error">The text must contain {of}.</p>')
    expect(rejected.text).toMatch(/<a href="#text.progress">“[^<]*” must contain \{of\}\.<\/a>/)
    expect(rejected.text).toContain('>Side {n}</textarea>')
  })

  test('does not overwrite a text that someone else has changed, and shows both', async () => {
    const { person, survey, browser, page } = await setUp()
    await person.put(`/api/v3/surveys/${survey.id}/texts/`, { json: { texts: { en: { next: 'Theirs' } } } })
    const rejected = await browser.post(page, { 'text.next': 'Mine', 'seen.next': '' })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain('Someone else has changed this text to: <span lang="en" dir="auto">Theirs</span>')
    expect(rejected.text).toContain('>Mine</textarea>')
  })

  test('returns 404 for a language that the survey does not have, and to other users', async () => {
    const { browser, page } = await setUp()
    expect((await browser.get(`${page}?to=fi`)).status).toBe(404)
    expect((await (await signInAs(await world.person())).get(page)).status).toBe(404)
  })
})
