// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { makeWorkbook, makeZip, workbookFiles } from '../support/workbook.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const NEW = '/account/surveys/new/'
let ann: Person
let browser: HttpBrowser

beforeAll(async () => {
  ann = await world.person()
  browser = new HttpBrowser(world.base)
  await browser.signIn(ann.actor.username, ann.password)
})

const countSurveys = async () => (await ann.get('/api/v3/surveys/')).body.count
/** Returns the survey that a form created. The reply to the form redirects to the builder of this survey. */
async function createdIn(reply: { status: number; to: string | null | undefined }) {
  expect(reply.status).toBe(303)
  const id = /surveys\/(\d+)\/edit\/$/.exec(reply.to ?? '')?.[1]
  const survey = (await ann.get(`/api/v3/surveys/${id}/`)).body
  return { survey, structure: (await ann.get(survey.survey_structure_uri)).body }
}

describe('the page of a new survey', () => {
  test('lists every template of the gallery with its number of questions and languages', async () => {
    const { text } = await browser.get(NEW)
    const { body } = await ann.get('/api/v3/gallery/?page_size=100')
    for (const { id, name } of body.results) expect(text).toContain(`<a href="${NEW}gallery/${id}/">${name}</a>`)
    expect(text).toMatch(/<h3>Customers<\/h3>\s*<ul class="tiles">.*5 questions · 7 languages/s)
  })

  test('creates a draft from a template, and opens it in the builder', async () => {
    const page = await browser.get(`${NEW}gallery/exit-interview/`)
    expect(page.text).toContain('<h1>Exit interview</h1>')
    expect(page.text).toContain('name="gallery_template" value="exit-interview"')
    const { survey, structure } = await createdIn(
      await browser.post(NEW, { gallery_template: 'exit-interview', name: 'Leaving' }),
    )
    expect(survey).toMatchObject({ name: 'Leaving', live: 0 })
    expect(structure).toEqual((await ann.get('/api/v3/gallery/exit-interview/')).body.structure)
  })

  test('returns 404 for a template that does not exist', async () => {
    expect((await browser.get(`${NEW}gallery/nothing/`)).status).toBe(404)
    expect((await browser.post(NEW, { gallery_template: 'nothing', name: 'X' })).status).toBe(404)
  })

  test('previews a template page by page in each language, and stores nothing', async () => {
    const preview = `${NEW}gallery/net-promoter/preview/`
    const first = await browser.get(preview)
    expect(first.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(first.text).toContain('How likely is it that you would recommend us')
    const before = await countSurveys()
    const second = await browser.post(preview, { _page: '1', recommendation: '10', _language: 'de' })
    expect(second.text).toContain('Wie wahrscheinlich ist es')
    expect(await countSurveys()).toBe(before)
  })

  test('copies a survey of the user with its questions', async () => {
    const id = await makeSurvey(ann, {
      title: 'Tea',
      form: [{ children: [{ idname: 'text-response', id: 'q', title: 'Which?' }] }],
    })
    expect((await browser.get(NEW)).text).toContain(`<option value="${id}">Tea</option>`)
    const { survey, structure } = await createdIn(await browser.post(`${NEW}copy/`, { survey: String(id) }))
    expect(survey).toMatchObject({ name: 'Tea (copy)', live: 0 })
    expect(structure.form[0].children[0]).toMatchObject({ id: 'q' })
  })

  test('does not copy a survey of someone else', async () => {
    const id = await makeSurvey(await world.person(), { title: 'Secret', form: [] })
    expect((await browser.post(`${NEW}copy/`, { survey: String(id) })).status).toBe(404)
  })

  test('returns 422 and names the error if the name is missing', async () => {
    const { status, text } = await browser.post(NEW, { name: ' ' })
    expect(status).toBe(422)
    expect(text).toContain('Name must not be blank.')
  })
})

describe('the import of a file', () => {
  const FORM = {
    survey: [
      ['type', 'name', 'label', 'relevant'],
      ['select_one yn', 'member', 'Are you a <b>member</b>?'],
      ['text', 'why', 'Why not?', "${member} = 'no'"],
      ['geopoint', 'place', 'Where?'],
    ],
    choices: [
      ['list_name', 'name', 'label'],
      ['yn', 'yes', 'Yes'],
      ['yn', 'no', 'No'],
    ],
    settings: [['form_title'], ['Members']],
  }
  const upload = (file: string | Buffer<ArrayBuffer>) => browser.upload(`${NEW}import/`, file)

  test('shows the survey into which an XLSForm is converted, and creates it only when the user agrees', async () => {
    await browser.get(`${NEW}import/`)
    const before = await countSurveys()
    const { status, text } = await upload(await makeWorkbook(FORM))
    expect(status).toBe(200)
    expect(text).toContain('2 questions on 1 page, in 1 language. 2 parts of the form were left out or changed')
    expect(text).toMatch(
      />survey<\/td><td[^>]*>A4<\/td><td[^>]*><code>geopoint<\/code><\/td><td[^>]*><span>The row was left out\./,
    )
    expect(await countSurveys()).toBe(before)
    const [, value = ''] = /name="structure" value="([^"]*)"/.exec(text)!
    const json = value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
    const { survey, structure } = await createdIn(await browser.post(NEW, { structure: json, name: 'Our members' }))
    expect(survey).toMatchObject({ name: 'Our members', live: 0 })
    expect(structure.form[0].children).toMatchObject([
      { id: 'member', title: { en: 'Are you a member?' } },
      { id: 'why', condition: { all: [{ question: 'member', op: 'eq', value: 1 }] } },
    ])
  })

  test('asks for the structure if nothing is pasted', async () => {
    await browser.get(`${NEW}import/`)
    const { status, text } = await browser.post(NEW, { name: '', structure: ' ' })
    expect(status).toBe(422)
    expect(text).toMatch(/<p[^>]*>Structure must not be blank\.<\/p>/)
    expect(text).not.toContain('Name must not be blank')
  })

  test('creates a survey from a structure in a JSON file, with or without a byte order mark', async () => {
    await browser.get(`${NEW}import/`)
    for (const mark of ['', '\ufeff']) {
      const { survey } = await createdIn(await upload(`${mark}{"title": "From a file", "form": []}`))
      expect(survey.name).toBe('From a file')
    }
  })

  test.each([
    ['an empty file', async () => '', 'File is empty.'],
    ['a text', async () => 'type,name', 'File is neither an Excel workbook (.xlsx) nor JSON.'],
    ['JSON that is cut off', async () => '{"title": ', 'File is not valid JSON'],
    ['an invalid structure', async () => '{"title": "T", "form": 7}', '/form: must be an array'],
    ['another archive', () => makeZip({ 'a.txt': 'x' }), 'File is not an Excel workbook (.xlsx).'],
    ['a workbook with other sheets', () => makeWorkbook({ Budget: [['type']] }), 'The sheet “survey” must be a sheet'],
    [
      'a workbook with a password',
      async () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'File is protected with a password; save it without one.',
    ],
    [
      'a sheet of 100 MB in a small archive',
      () => makeZip({ ...workbookFiles(FORM), 'xl/worksheets/sheet1.xml': Buffer.alloc(100 * 1024 * 1024, ' ') }),
      'File is too large: it must have at most 20 MB.',
    ],
  ])('explains the problem of %s, and creates nothing', async (_, file, message) => {
    await browser.get(`${NEW}import/`)
    const before = await countSurveys()
    const { status, text } = await upload((await file()) as Buffer<ArrayBuffer>)
    expect(status).toBe(422)
    expect(text).toContain(message)
    expect(await countSurveys()).toBe(before)
  })

  test('refuses a file of more than 10 MB', async () => {
    await browser.get(`${NEW}import/`)
    expect((await upload(Buffer.alloc(10 * 1024 * 1024 + 1))).status).toBe(413)
  })
})
