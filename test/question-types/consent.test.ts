import { describe, expect, it, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { useQuestionType } from '../support/question-type.ts'
import { submitForm } from '../support/surveys.ts'

const type = useQuestionType()
const terms = (settings: object = {}) => ({
  idname: 'consent',
  id: 'terms',
  title: 'Terms',
  description: 'We delete everything after a year.',
  children: [{ statement: 'I accept the terms.', version: '1', required: true, ...settings }],
})
const TEXT = 'Terms\n\nWe delete everything after a year.\n\nI accept the terms.'
const AGREED = { terms: true, 'terms\\version': '1', 'terms\\text': TEXT }

describe('a consent question [spec 6.4]', () => {
  it('keeps its statement and version', async () => {
    const { id, owner } = await type.survey([terms()])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0].children).toEqual([
      { type: 'consent', statement: { en: 'I accept the terms.' }, version: '1', required: true },
    ])
    const { body: questions } = await owner.get(`/api/v3/surveys/${id}/questions/`)
    expect(questions.results[0].keys).toEqual(['terms', 'terms\\version', 'terms\\text'])
  })

  test.each([
    [{ version: 1 }, 'version'],
    [{ version: 'x'.repeat(101) }, 'version'],
    [{ statement: true }, 'statement'],
  ])('rejects the settings %j', async (settings, member) => {
    expect(await type.errorsOf(terms(settings))).toEqual([[`children/0/${member}`, 'invalid_type']])
  })

  it('is answered on a phone, with and without scripts, and stored with version and text', async () => {
    const survey = await type.survey([terms()])
    await type.journey(survey, {
      wrong: async () => {},
      error: 'An answer to this question is required.',
      right: (page) => page.getByLabel('I accept the terms.').check({ force: true }),
    })
    expect(await survey.stored()).toEqual([AGREED, AGREED])
  })

  it('stores the text in the language that the respondent read', async () => {
    const survey = await type.survey(
      [{ idname: 'consent', id: 'terms', title: { en: 'Terms', de: 'Bedingungen' }, children: [{}] }],
      {
        languages: [
          { code: 'en', name: 'English', isDefault: true },
          { code: 'de', name: 'Deutsch', isDefault: false },
        ],
      },
    )
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(`${survey.url}?lang=de`)
    await page.getByLabel('Ich stimme zu').check({ force: true })
    await page.getByRole('button', { name: 'Absenden' }).click()
    expect(await survey.stored()).toEqual([{ terms: true, 'terms\\text': 'Bedingungen' }])
  })

  it('rejects a consent to texts that changed after the page was opened, and ignores a text in the form', async () => {
    const { anonymous } = type.world
    const survey = await type.survey([terms()])
    const path = new URL(survey.url).pathname
    const page = await anonymous.get(path)
    const value = /type="checkbox"[^>]* value="([^"]+)"/.exec(page.text)![1]!
    await type.put(survey.id, [terms({ version: '2' })])
    const again = await submitForm(anonymous, page, { terms: value })
    expect(again.text).toContain('The text has changed. Read it again, then tick the box.')
    expect(again.text).not.toMatch(/type="checkbox"[^>]* checked/)
    await type.put(survey.id, [terms()])
    await submitForm(anonymous, await anonymous.get(path), { terms: value, 'terms\\text': 'I pay nothing.' })
    expect((await survey.stored()).at(-1)).toEqual(AGREED)
  })

  it('cannot be prefilled by a link, and loses its version and text when it is withdrawn', async () => {
    const { anonymous } = type.world
    const survey = await type.survey([terms({ required: false }), { idname: 'email', id: 'mail', title: 'Email' }])
    const path = new URL(survey.url).pathname
    expect((await anonymous.get(`${path}?terms=true`)).text).not.toMatch(/type="checkbox"[^>]* checked/)
    const { body } = await survey.answer({ terms: true })
    const page = await anonymous.get(new URL(body.url).pathname)
    expect(page.text).toMatch(/type="checkbox"[^>]* checked/)
    await submitForm(anonymous, page, { mail: 'ada@example.org' })
    expect(await survey.stored()).toEqual([{ mail: 'ada@example.org' }])
  })

  it('is answered through both versions of the API, and kept when a program sends a response back unchanged', async () => {
    const survey = await type.survey([terms()])
    const { body } = await survey.answer({ terms: '1' })
    expect((await survey.answerV2({ terms: true })).body).toMatchObject({ success: true })
    expect(await survey.shown()).toEqual([AGREED, AGREED])
    await type.put(survey.id, [terms({ version: '2' })])
    const uri = `/api/v3/surveys/${survey.id}/responses/${body.id}/`
    const { body: response } = await survey.owner.get(uri)
    expect((await survey.owner.put(uri, { json: response })).status).toBe(202)
    expect((await survey.stored())[0]).toEqual(AGREED)
    expect((await survey.answer({ terms: 'perhaps' })).body).toMatchObject({ errors: [{ code: 'not_a_choice' }] })
    expect((await survey.answer({ terms: 'c-AAAAAAAAAAAAAAAA' })).body).toMatchObject({
      errors: [{ field: 'terms', code: 'consent_changed' }],
    })
    expect((await survey.answerV2({ terms: false })).status).toBe(500)
  })

  it('has columns for the answer, the version and the text, which can be imported', async () => {
    const survey = await type.survey([terms()])
    await survey.answer({ terms: true, _completed: 1 })
    const rows = [
      ['terms', 'terms\\version', 'terms\\text'],
      ['true', '1', TEXT],
    ]
    expect(await survey.csv()).toEqual(rows)
    expect((await survey.csv('?show_titles=1&include_labels=1'))[0]).toEqual([
      'Terms',
      'Terms - version',
      'Terms - text',
    ])
    const imported = await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: 'terms,terms\\version,terms\\text\ntrue,0,Old terms\ntrue,,\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect(imported.status).toBe(200)
    expect((await survey.stored()).slice(1)).toEqual([
      { terms: true, 'terms\\version': '0', 'terms\\text': 'Old terms' },
      AGREED,
    ])
  })

  it('is counted in the report, shown with its text to the owner and filtered by version', async () => {
    const survey = await type.survey([terms({ required: false })])
    const { body } = await survey.answer({ terms: true })
    await survey.answer({})
    expect(await survey.stats('terms')).toMatchObject({ answered: 1, choices: [{ count: 1, percentage: 100 }] })
    const report = await survey.report()
    expect(report).toContain('Yes: 100%, 1')
    expect(report).not.toContain('We delete everything')
    expect(await survey.shown('?terms\\version=1')).toHaveLength(1)
    expect(await survey.shown('?terms=true')).toHaveLength(1)
    const browser = await signInAs(survey.owner)
    const { text } = await browser.get(`/account/surveys/${survey.id}/responses/${body.id}/`)
    expect(text).toContain('Agreed, version 1')
    expect(text).toContain('We delete everything after a year.')
  })
})
