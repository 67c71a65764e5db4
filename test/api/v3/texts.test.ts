import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { changeableTexts, languages } from '../../../src/domain/text/catalog.ts'
import { mainForm } from '../../../src/lib/texts.ts'
import { addSurvey, pageOf, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string
let address: string
beforeEach(async () => {
  ann = await world.person()
  const structure = {
    title: { en: 'Bread', sv: 'Bröd' },
    languages: [
      { code: 'en', name: 'English', isDefault: true },
      { code: 'sv', name: 'Svenska', isDefault: false },
    ],
    form: [pageOf(text('name', { required: true })), pageOf(text('end'))],
  }
  const { survey, path } = await addSurvey(ann, structure)
  uri = `/api/v3/surveys/${survey.id}/texts/`
  address = world.base + path
})

const pageIn = async (language: string) => (await fetch(`${address}?lang=${language}`)).text()
const errorsOf = (reply: { body: { errors: { field: string; code: string }[] } }) =>
  reply.body.errors.map(({ field, code }) => [field, code])

describe('getSurveyTexts', () => {
  test('returns no texts and every default text of a survey without own texts [spec 5.14]', async () => {
    const { status, body, headers } = await ann.get(uri)
    expect([status, body.texts, Object.keys(body.defaults)]).toEqual([200, {}, ['en', 'sv']])
    expect(headers.get('etag')).toBeTruthy()
    const english = Object.entries(changeableTexts(languages.en!)).map(([name, each]) => [name, mainForm(each)])
    expect(body.defaults.en).toEqual(Object.fromEntries(english))
    expect(body.defaults.sv).toEqual(body.defaults.en)
  })
})

describe('updateSurveyTexts', () => {
  test('lists in the contract every text that it can change, with the default text as the description', () => {
    const contract = JSON.parse(readFileSync('generated/v3/openapi.json', 'utf8'))
    const described = Object.entries<{ description: string }>(contract.components.schemas.TextChanges.properties)
    const english = Object.entries(changeableTexts(languages.en!)).map(([name, each]) => [name, mainForm(each)])
    expect(described.map(([name, { description }]) => [name, description])).toEqual(english)
  })

  test('replaces texts on the pages of the survey, escaped, and keeps the others [spec 5.14]', async () => {
    await ann.put(uri, { json: { texts: { en: { next: 'Go <on>', progress: 'Step {n} of {of}' } } } })
    const { body } = await ann.put(uri, { json: { texts: { en: { required: 'Needed' } } } })
    expect(body.texts).toEqual({ en: { next: 'Go <on>', progress: 'Step {n} of {of}', required: 'Needed' } })
    const page = await pageIn('en')
    expect(page).toContain('Go &lt;on&gt;</button>')
    expect(page).toContain('Step 1 of 2')
    expect(page).toContain('<span class="required">Needed</span>')
    expect(page).toContain('Save and continue later')
  })

  test('translates texts into a language that the service does not have [spec 5.14]', async () => {
    await ann.put(uri, { json: { texts: { sv: { next: 'Nästa' } } } })
    const page = await pageIn('sv')
    expect(page).toContain('value="next">Nästa</button>')
    expect(page).toContain('<span lang="en" dir="ltr">Save and continue later</span>')
  })

  test('restores default texts with null and with an empty text', async () => {
    await ann.put(uri, { json: { texts: { en: { next: 'On', back: 'Away', submit: 'Send' }, sv: { next: 'Nästa' } } } })
    const { body } = await ann.put(uri, { json: { texts: { en: { next: null, back: ' ' }, sv: null } } })
    expect(body.texts).toEqual({ en: { submit: 'Send' } })
    expect(await pageIn('en')).toContain('value="next">Next</button>')
  })

  test('changes nothing when the fetched texts are sent back', async () => {
    const saved = (await ann.put(uri, { json: { texts: { en: { next: 'On' } } } })).body
    expect((await ann.put(uri, { json: saved })).body).toEqual(saved)
  })

  test('returns 400 for a text without its placeholder, and saves nothing [spec 5.14]', async () => {
    const reply = await ann.put(uri, { json: { texts: { en: { progress: 'Page {n}', next: 'On' } } } })
    expect([reply.status, errorsOf(reply)]).toEqual([400, [['texts.en.progress', 'missing_placeholder']]])
    expect(reply.body.errors[0].message).toBe('must contain {of}')
    expect((await ann.get(uri)).body.texts).toEqual({})
  })

  test.each([
    ['an unknown text', { texts: { en: { nxt: 'On' } } }, 'texts.en.nxt', 'unknown_property'],
    ['the fixed text of an empty survey', { texts: { en: { empty: 'x' } } }, 'texts.en.empty', 'unknown_property'],
    ['a text that is too long', { texts: { en: { next: 'x'.repeat(1001) } } }, 'texts.en.next', 'too_long'],
  ])('returns 400 for %s', async (_, json, field, code) => {
    const reply = await ann.put(uri, { json })
    expect([reply.status, errorsOf(reply)]).toEqual([400, [[field, code]]])
  })

  test('sets texts that duplicateSurvey copies', async () => {
    await ann.put(uri, { json: { texts: { en: { next: 'On' } } } })
    const copy = await ann.post(uri.replace('texts/', 'duplicate/'))
    expect((await ann.get(`/api/v3/surveys/${copy.body.id}/texts/`)).body.texts).toEqual({ en: { next: 'On' } })
  })
})
