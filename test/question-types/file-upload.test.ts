import { describe, expect, it, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { PICTURE, pathOf, picture, send, upload, useUploads } from '../support/uploads.ts'

const { type, stored, submit } = useUploads()

describe('a file upload question [spec 6.4]', () => {
  it('keeps its settings', async () => {
    const { id, owner } = await type.survey([upload({ maxFiles: 3, maxSize: 5 })])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0].children).toEqual([
      { type: 'file', fileTypes: ['image', 'pdf'], required: true, maxFiles: 3, maxSize: 5 },
    ])
  })

  test.each([
    [{ maxFiles: 11 }, 'maxFiles', 'invalid_type'],
    [{ maxSize: 0 }, 'maxSize', 'invalid_type'],
    [{ fileTypes: ['program'] }, 'fileTypes', 'invalid_value'],
    [{ fileTypes: ['pdf', 'pdf'] }, 'fileTypes', 'invalid_value'],
  ])('rejects the settings %j', async (settings, member, code) => {
    expect(await type.errorsOf(upload(settings))).toEqual([[`children/0/${member}`, code]])
  })

  it('is answered on a phone, with and without scripts', async () => {
    const survey = await type.survey([upload()])
    await type.journey(survey, {
      wrong: async () => {},
      error: 'An answer to this question is required.',
      right: async (page, hasScripts) => {
        await page
          .getByLabel('Your kitchen')
          .setInputFiles({ name: 'kitchen.png', mimeType: 'image/png', buffer: PICTURE })
        if (hasScripts) await page.getByText('kitchen.png has been uploaded.').waitFor()
      },
    })
    expect(await stored(survey)).toMatchObject([
      { name: 'kitchen.png', bytes: 166 },
      { name: 'kitchen.png', bytes: 166 },
    ])
  })

  it('removes a file, names a rejected file and uploads no file twice, with scripts', async () => {
    const survey = await type.survey([upload({ maxFiles: 2, required: false })])
    const page = await type.newPage({})
    await page.goto(survey.url)
    const field = page.getByLabel('Your kitchen')
    await field.setInputFiles({ name: 'virus.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('MZ\0 a program') })
    await page.getByText('The file virus.jpg has a type that is not accepted.').waitFor()
    await field.setInputFiles([
      { name: 'one.png', mimeType: 'image/png', buffer: PICTURE },
      { name: 'two.png', mimeType: 'image/png', buffer: PICTURE },
    ])
    await page.getByText('two.png has been uploaded.').waitFor()
    await page.getByRole('button', { name: 'Remove one.png' }).click()
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect(await stored(survey)).toMatchObject([
      { name: 'one.png', response_id: null },
      { name: 'two.png', response_id: expect.anything() },
    ])
  })

  it('keeps files when a page is rejected, and adds the files of the next submission', async () => {
    const survey = await type.survey([
      upload({ maxFiles: 2 }),
      { idname: 'email', id: 'mail', title: 'Email', children: [{ required: true }] },
    ])
    const first = await type.world.anonymous.get(pathOf(survey))
    const rejected = await submit(first, { 'photo\\file': picture('a.png'), mail: 'nobody' })
    expect(rejected.text).toContain('Enter an email address')
    expect(rejected.text).toContain('a.png')
    const tooMany = await submit(rejected, {
      'photo\\file': [picture('b.png'), picture('c.png')],
      mail: 'a@example.org',
    })
    expect(tooMany.text).toContain('Choose at most 2 files.')
    await submit(tooMany, { 'photo\\file': picture('d.png'), mail: 'a@example.org' })
    expect(await stored(survey)).toMatchObject([{ name: 'a.png' }, { name: 'd.png' }])
    expect((await stored(survey)).every((file) => file.response_id !== null)).toBe(true)
  })

  it('receives files from programs (createFile), and accepts the key of a file in one response only [spec 7.14]', async () => {
    const survey = await type.survey([upload()])
    const headers = { 'idempotency-key': 'upload-1' }
    const { status, body } = await send(survey, picture('../../Küche\u202egpj.png'), headers)
    expect([status, body]).toEqual([
      201,
      {
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        question: 'photo',
        name: 'Küchegpj.png',
        type: 'image/png',
        size: 166,
        created_at: '2026-01-15T12:00:00.000Z',
      },
    ])
    const repeated = await send(survey, picture('../../Küche\u202egpj.png'), headers)
    expect(repeated.body).toEqual(body)
    expect((await send(survey, picture('x.png'), headers)).status).toBe(422)
    const bytes = new Uint8Array(PICTURE)
    const raw = await survey.owner.post(`/api/v3/surveys/${survey.id}/files/?question=photo&name=raw`, {
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(raw.body).toMatchObject({ name: 'raw.png', size: 166 })
    expect((await survey.answer({ photo: body.key })).status).toBe(201)
    expect((await survey.answerV2({ photo: [raw.body.key] })).body).toMatchObject({ success: true })
    const again = await survey.answer({ photo: body.key })
    expect([again.status, again.body.errors[0].code]).toEqual([400, 'file_not_found'])
    expect((await survey.stored()).length).toBe(2)
  })

  test.each([
    ['CSV in UTF-8', 'a.csv', Buffer.from('name;Größe\r\nJörg;3\r\n'), 'text/csv'],
    ['CSV in Windows-1252', 'a.csv', Buffer.from('name;Größe\r\nJörg;3\r\n', 'latin1'), 'text/csv'],
    ['a text in UTF-16', 'a.txt', Buffer.from('\ufeffname\tGröße\r\n', 'utf16le'), 'text/plain'],
    ['a text in UTF-16, big endian', 'a.txt', Buffer.from('\ufeffname\tGröße', 'utf16le').swap16(), 'text/plain'],
    ['Markdown in Windows-1252', 'a.md', Buffer.from('# \x93Größe\x94', 'latin1'), 'text/markdown'],
  ])('accepts %s', async (_, name, bytes, mediaType) => {
    const survey = await type.survey([upload({ fileTypes: ['spreadsheet', 'text'] })])
    const { status, body } = await send(survey, new File([bytes], name))
    expect([status, body.type, body.name]).toEqual([201, mediaType, name])
  })

  test.each([
    ['control characters', Buffer.from([0x61, 0xe4, 0x01, 0x62])],
    ['bytes that Windows-1252 does not use', Buffer.from([0x61, 0xe4, 0x81, 0x62])],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x61])],
    ['control characters in UTF-16', Buffer.from('\ufeffa\0b', 'utf16le')],
  ])('does not accept a text with %s', async (_, bytes) => {
    const survey = await type.survey([upload({ fileTypes: ['text'] })])
    const { body } = await send(survey, new File([bytes], 'a.txt'))
    expect(body.errors).toMatchObject([{ code: 'file_type_not_accepted' }])
  })

  it('shows the URLs of files to users who may read responses (listResponseFiles), and sends each file as a download (getResponseFile) [spec 7.14]', async () => {
    const survey = await type.survey([upload({ maxFiles: 2 })])
    const { owner, id } = survey
    const keys = [await send(survey, picture('a.png')), await send(survey, picture('b.png'))].map(
      ({ body }) => body.key,
    )
    const { body: response } = await survey.answer({ photo: keys, _completed: 1 })
    const uri = `${type.world.base}/api/v3/surveys/${id}/responses/${response.id}/`
    const addresses = keys.map((key) => `${uri}files/${key}/`)
    expect(await survey.shown('?include_labels=1')).toEqual([{ photo: addresses.join(' ') }])
    const page = `${type.world.base}/account/surveys/${id}/files/`
    expect(await survey.csv()).toEqual([['photo'], [keys.map((key) => `${page}${key}/`).join(' ')]])
    expect(await survey.stats('photo')).toMatchObject({ answered: 1, recent_answers: [{ value: addresses.join(' ') }] })
    const { body: list } = await owner.get(`${uri}files/`)
    expect(list).toMatchObject({ count: 2, results: [{ name: 'a.png', file_uri: addresses[0] }, { name: 'b.png' }] })

    const browser = await signInAs(owner)
    const shown = await browser.get(`/account/surveys/${id}/responses/${response.id}/`)
    expect(shown.text).toContain(`<a href="/account/surveys/${id}/files/${keys[0]}/" download><bdi>a.png</bdi></a>`)
    expect((await browser.get(`/account/surveys/${id}/responses/`)).text).toContain('2 files')
    expect(await survey.report()).toContain(`/account/surveys/${id}/files/${keys[1]}/`)
    for (const reply of [
      await owner.get(addresses[0]!),
      await browser.get(`/account/surveys/${id}/files/${keys[0]}/`),
    ]) {
      expect(reply.text.length).toBeGreaterThan(100)
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="a.png"',
        'x-content-type-options': 'nosniff',
      })
    }
    const stranger = await type.world.person()
    expect((await stranger.get(addresses[0]!)).status).toBe(404)
    expect((await (await signInAs(stranger)).get(`/account/surveys/${id}/files/${keys[0]}/`)).status).toBe(404)
    expect((await owner.get(addresses[0]!.replace(`/${response.id}/`, '/999/'))).body.code).toBe('file_not_found')
  })

  it('keeps files when a program sends a response back unchanged, exports them with the account, and deletes them with their answer or their erased response [spec 7.14]', async () => {
    const survey = await type.survey([upload({ maxFiles: 2, required: false })])
    const { owner, id } = survey
    const [a, b] = [await send(survey, picture('a.png')), await send(survey, picture('b.png'))].map(
      ({ body }) => body.key,
    )
    const { body: created } = await survey.answer({ photo: `${a},${b}` })
    const uri = `/api/v3/surveys/${id}/responses/${created.id}/`
    const { body: response } = await owner.get(uri)
    expect((await owner.put(uri, { json: response })).status).toBe(202)
    expect((await owner.put(uri, { json: { photo: b } })).status).toBe(202)
    expect(await stored(survey)).toMatchObject([{ name: 'b.png', response_id: created.id }])
    const archive = await owner.get(`/api/v3/users/${owner.actor.id}/export/`)
    expect(archive.text).toContain(`/files/${created.id}/${b}-b.png`)
    await owner.delete(uri)
    expect(await stored(survey)).toMatchObject([{ name: 'b.png', response_id: created.id }])
    await owner.delete(`/api/v3/surveys/${id}/responses/trash/${created.id}/`)
    expect(await stored(survey)).toEqual([])
    expect(
      await type.world.em().getConnection().execute('select from uploaded_file_chunk where survey_id = ?', [id]),
    ).toEqual([])
  })

  it('deletes files that no response has used for a day [spec 7.14]', async () => {
    const survey = await type.survey([upload()])
    await send(survey, picture('unused.png'))
    const { body } = await send(survey, picture('used.png'))
    await survey.answer({ photo: body.key })
    const { now } = type.world
    try {
      type.world.now = new Date(now.getTime() + 26 * 3_600_000)
      await type.world.application.boss.send('purge-expired-credentials', {})
      await type.world.runJobs()
    } finally {
      type.world.now = now
    }
    expect(await stored(survey)).toMatchObject([{ name: 'used.png' }])
  })
})
