// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeWorkbook, makeZip, WORKBOOK_TYPE, workbookFiles } from '../../support/workbook.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('listGalleryTemplates', () => {
  test('lists the templates of the gallery, page by page [spec 5.11]', async () => {
    const { body } = await ann.get('/api/v3/gallery/?page_size=100')
    expect(body.count).toBe(body.results.length)
    expect(body.results).toContainEqual({
      id: 'net-promoter',
      name: 'Net Promoter Score',
      description: 'For regular surveys of customers. Asks how likely they are to recommend you, and why.',
      category: 'Customers',
      languages: ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'],
      number_of_questions: 5,
      gallery_template_uri: `${world.base}/api/v3/gallery/net-promoter/`,
    })
    const second = await ann.get('/api/v3/gallery/?page_size=5&page=2')
    expect(second.body.results).toEqual(body.results.slice(5, 10))
    expect(second.body.next).toBe(`${world.base}/api/v3/gallery/?page_size=5&page=3`)
  })

  test('returns 401 without credentials', async () => {
    expect(await world.anonymous.get('/api/v3/gallery/')).toMatchObject({ status: 401 })
  })
})

describe('getGalleryTemplate', () => {
  test('returns a structure that can be sent back as the structure of a survey [spec 5.11]', async () => {
    const { body, headers } = await ann.get('/api/v3/gallery/net-promoter/')
    expect(body.structure.form[0].children[0]).toMatchObject({
      idname: 'net-promoter',
      id: 'recommendation',
      title: { en: 'How likely is it that you would recommend us to a friend or colleague?' },
    })
    const created = await ann.post('/api/v3/surveys/', { json: { name: 'Spring', initial_structure: body.structure } })
    expect(created.status).toBe(201)
    expect((await ann.get(created.body.survey_structure_uri)).body).toEqual(body.structure)
    const cached = await ann.get('/api/v3/gallery/net-promoter/', {
      headers: { 'if-none-match': headers.get('etag')! },
    })
    expect(cached.status).toBe(304)
  })

  test('returns 404 for an unknown ID', async () => {
    for (const id of ['nothing', 'constructor'])
      expect(await ann.get(`/api/v3/gallery/${id}/`)).toMatchObject({
        status: 404,
        body: { code: 'gallery_template_not_found' },
      })
  })
})

describe('createSurvey', () => {
  test('creates a survey with the structure of a gallery template and the name in the request', async () => {
    const json = { name: 'Our pulse', gallery_template: 'employee-pulse' }
    const { status, body } = await ann.post('/api/v3/surveys/', { json })
    expect({ status, name: body.name, live: body.live }).toEqual({ status: 201, name: 'Our pulse', live: 1 })
    const { body: structure } = await ann.get(body.survey_structure_uri)
    expect(structure).toEqual((await ann.get('/api/v3/gallery/employee-pulse/')).body.structure)
    const answered = await ann.post(body.responses_uri, { json: { workload: 4, cause: 'Meetings' } })
    expect(answered.status).toBe(201)
  })

  test('returns 404 for a template that the gallery does not have', async () => {
    const json = { name: 'X', gallery_template: 'nothing' }
    expect(await ann.post('/api/v3/surveys/', { json })).toMatchObject({
      status: 404,
      body: { code: 'gallery_template_not_found' },
    })
  })

  test('returns 400 for two sources of the structure, and creates nothing', async () => {
    const before = (await ann.get('/api/v3/surveys/')).body.count
    const structure = { title: 'T', form: [] }
    for (const [field, more] of Object.entries({
      structure: { structure },
      initial_structure: { initial_structure: structure },
      gallery_template: { template: 1 },
    })) {
      const json = { name: 'X', gallery_template: 'net-promoter', ...more }
      expect(await ann.post('/api/v3/surveys/', { json })).toMatchObject({
        status: 400,
        body: { errors: [{ field, code: 'mutually_exclusive' }] },
      })
    }
    expect((await ann.get('/api/v3/surveys/')).body.count).toBe(before)
  })

  test.each(['structure', 'initial_structure'])('accepts a structure as %s, as JSON and in a form', async (member) => {
    const structure = { title: 'T', form: [{ children: [{ idname: 'email', id: 'mail', title: 'Address?' }] }] }
    for (const sent of [
      { json: { name: 'Named twice', [member]: structure } },
      { form: { name: 'Named twice', [member]: JSON.stringify(structure) } },
      { json: { name: 'Named twice', structure, initial_structure: structure } },
    ]) {
      const { status, body } = await ann.post('/api/v3/surveys/', sent)
      expect(status).toBe(201)
      expect((await ann.get(body.survey_structure_uri)).body.form[0].children[0].id).toBe('mail')
    }
  })

  test('returns 400 for a structure and a different initial_structure', async () => {
    const json = { name: 'X', structure: { title: 'T', form: [] }, initial_structure: { title: 'U', form: [] } }
    expect(await ann.post('/api/v3/surveys/', { json })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'initial_structure', code: 'mutually_exclusive', message: expect.stringContaining('structure') },
        ],
      },
    })
  })

  test('returns 400 with JSON pointers for an invalid structure', async () => {
    const json = {
      name: 'X',
      initial_structure: { title: 'T', form: [{ children: [{ idname: 'text-response', id: '' }] }] },
    }
    const { status, body } = await ann.post('/api/v3/surveys/', { json })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_structure', errors: [{ field: '/form/0/children/0/id' }] })
  })
})

describe('convertXlsform', () => {
  const FORM = {
    survey: [
      ['type', 'name', 'label', 'relevant'],
      ['select_one yn', 'member', 'Are you a member?'],
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
  const send = (file: Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    ann.post('/api/v3/xlsform/', { body: file, headers: { 'content-type': WORKBOOK_TYPE, ...headers } })

  test('returns a structure that createSurvey accepts, and an issue for each row that was left out [spec 5.11]', async () => {
    const { status, body } = await send(await makeWorkbook(FORM))
    expect(status).toBe(200)
    expect(body.issues).toEqual([
      {
        code: 'type_not_supported',
        sheet: 'survey',
        row: 4,
        column: 'A',
        value: 'geopoint',
        message: expect.stringContaining('The row was left out.'),
      },
    ])
    const { structure } = body
    const created = await ann.post('/api/v3/surveys/', { json: { name: 'Members', initial_structure: structure } })
    expect(created.status).toBe(201)
    const answers = await ann.post(created.body.responses_uri, { json: { member: 'No', why: 'No time' } })
    expect(answers.status).toBe(201)
    expect((await ann.get(created.body.questions_uri)).body.count).toBe(2)
  })

  test('accepts a workbook with the Content-Type application/octet-stream', async () => {
    const { status, body } = await send(await makeWorkbook(FORM), { 'content-type': 'application/octet-stream' })
    expect([status, body.issues.length]).toEqual([200, 1])
  })

  test('stores nothing', async () => {
    const before = (await ann.get('/api/v3/surveys/')).body.count
    await send(await makeWorkbook(FORM))
    expect((await ann.get('/api/v3/surveys/')).body.count).toBe(before)
  })

  test('ignores an Idempotency-Key, and keeps no reply', async () => {
    const kept = async () => await world.em().execute('select * from idempotency_key')
    const [file, before] = [await makeWorkbook(FORM), await kept()]
    const headers = { 'idempotency-key': '"one"' }
    const { structure } = (await send(file, headers)).body
    const again = await send(file, headers)
    expect([again.headers.get('idempotent-replayed'), again.body.structure]).toEqual([null, structure])
    expect((await send(await makeWorkbook({ Budget: [['type']] }), headers)).status).toBe(400)
    expect(await kept()).toEqual(before)
  })

  test.each([
    ['a text with the type of a workbook', async () => Buffer.from('type,name'), 'file', 'not_a_workbook'],
    ['another archive', () => makeZip({ 'a.txt': 'x' }), 'file', 'not_a_workbook'],
    ['a workbook of Excel 97', async () => Buffer.from('d0cf11e0a1b11ae100', 'hex'), 'file', 'old_workbook'],
    [
      'a workbook with a password',
      async () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'file',
      'password_protected',
    ],
    [
      'a sheet of 100 MB in a small archive',
      () => makeZip({ ...workbookFiles(FORM), 'xl/worksheets/sheet1.xml': Buffer.alloc(100 * 1024 * 1024, ' ') }),
      'file',
      'workbook_too_large',
    ],
    [
      'a sheet with entities',
      () =>
        makeZip({
          ...workbookFiles(FORM),
          'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><worksheet>&b;</worksheet>',
        }),
      'file',
      'damaged_workbook',
    ],
    ['a workbook with other sheets', () => makeWorkbook({ Budget: [['type']] }), 'survey', 'missing_sheet'],
  ])('returns 400 for %s', async (_, file, field, code) => {
    expect(await send((await file()) as Buffer<ArrayBuffer>)).toMatchObject({
      status: 400,
      body: { code: 'invalid_xlsform', errors: [{ field, code }] },
    })
  })

  test('returns 400 without a file, 415 for another type, and 413 for more than 10 MB', async () => {
    expect(await ann.post('/api/v3/xlsform/', { headers: { 'content-type': WORKBOOK_TYPE } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'body', code: 'required' }] },
    })
    expect((await ann.post('/api/v3/xlsform/', { json: {} })).status).toBe(415)
    expect((await send(Buffer.alloc(10 * 1024 * 1024 + 1))).status).toBe(413)
  })
})
