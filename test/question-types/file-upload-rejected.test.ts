import { watch } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, test } from '@jest/globals'
import type { Reply } from '../support/client.ts'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { eraseSurvey } from '../support/surveys.ts'
import { PICTURE, pathOf, picture, send, temporaryFiles, upload, useUploads } from '../support/uploads.ts'

const { type, stored, submit } = useUploads()

describe('the upload of files', () => {
  test.each([
    [
      'a program named photo.jpg',
      new File(['MZ\0\x01\x02 this is a program'], 'photo.jpg'),
      'has a type that is not accepted',
    ],
    ['an SVG named photo.png', new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'photo.png'), 'has a type that'],
    ['a CSV instead of an image or PDF', new File(['a,b\n1,2\n'], 'table.csv'), 'has a type that is not accepted'],
    ['an empty file', new File([], 'photo.jpg'), 'is empty'],
    ['a file above the limit', new File([PICTURE, Buffer.alloc(1_000_000)], 'photo.png'), 'is larger than 1 MB'],
    ['a file far above the limit', new File([Buffer.alloc(2_500_000)], 'photo.png'), 'is larger than 1 MB'],
    ['an infected file', new File([PICTURE, 'EICAR'], 'photo.png'), 'was rejected by the virus scan'],
  ])('rejects %s with a message, and stores nothing', async (_, file, message) => {
    const survey = await type.survey([upload({ maxSize: 1 })])
    const page = await submit(await type.world.anonymous.get(pathOf(survey)), { 'photo\\file': file })
    expect(unescapeHtml(page.text)).toContain(`The file ${file.name} ${message}`)
    expect(await stored(survey)).toEqual([])
    expect(await survey.stored()).toEqual([])
    expect(temporaryFiles()).toEqual([])
  })

  it('stores nothing while the virus scanner fails, or when the account has no room left', async () => {
    const survey = await type.survey([upload({ maxSize: 2, required: false })])
    const broken = await send(survey, new File([PICTURE, 'BROKEN'], 'photo.png'))
    expect([broken.status, broken.body.code]).toEqual([503, 'unavailable'])
    const large = new File([PICTURE, Buffer.alloc(1_900_000)], 'photo.png')
    const full = (max: number) => [
      expect.objectContaining({ field: 'file', code: 'file_storage_full', params: { max } }),
    ]
    for (let count = 0; count < 3; count += 1) expect((await send(survey, large)).status).toBe(201)
    // A survey can use 80 % of the 8 MB. The rest is left for the other surveys.
    expect((await send(survey, large)).body.errors).toEqual(full(6))
    expect((await stored(survey)).length).toBe(3)
    const mailbox = join(type.world.dataDir, 'outbox')
    const warnings = async () => {
      await type.world.runJobs()
      const messages = await Promise.all(
        (await readdir(mailbox).catch((): string[] => []))
          .filter((name) => name.endsWith('.eml'))
          .map((name) => readFile(join(mailbox, name), 'utf8')),
      )
      return messages.filter((message) => message.includes('Your space for files is nearly full'))
    }
    expect(await warnings()).toEqual([])
    const other = await type.survey([upload({ maxSize: 2, required: false })])
    expect((await send(other, large)).status).toBe(201)
    expect(await warnings()).toHaveLength(1)
    expect((await send(other, large)).body.errors).toEqual(full(8))
    // The owner is told once by email, and on the page with the surveys until there is room again.
    expect(await warnings()).toHaveLength(1)
    const desk = await signInAs(survey.owner)
    expect((await desk.get('/account/surveys/')).text).toContain('Your uploaded files use 95 % of 8 MB.')
    for (const { id } of [survey, other]) await eraseSurvey(survey.owner, id)
    expect(await stored(survey)).toEqual([])
    expect((await desk.get('/account/surveys/')).text).not.toContain('Your uploaded files use')
  })

  it('limits the unused files of a survey, so that other surveys of the account can still receive files', async () => {
    const survey = await type.survey([upload({ maxFiles: 10, maxSize: 2, required: false })])
    const large = new File([PICTURE, Buffer.alloc(1_900_000)], 'photo.png')
    const page = await type.world.anonymous.get(pathOf(survey))
    const send10 = () => submit(page, { 'photo\\file': Array.from({ length: 10 }, () => large), _go: 'upload' })
    expect(JSON.parse((await send10()).text)).toMatchObject({ files: { length: 10 }, errors: [] })
    expect(JSON.parse((await send10()).text)).toMatchObject({ files: [], errors: { length: 10 } })
    const other = await type.survey([upload()])
    expect((await submit(await type.world.anonymous.get(pathOf(other)), { 'photo\\file': picture() })).text).toContain(
      'Thank you!',
    )
    expect((await send(survey, large)).status).toBe(201)
    for (const { id } of [survey, other]) await eraseSurvey(survey.owner, id)
  })

  it('writes no file of a closed survey to disk', async () => {
    const survey = await type.survey([upload()])
    const page = await type.world.anonymous.get(pathOf(survey))
    const written = new Set<string>()
    const watcher = watch(tmpdir(), (_event, name) => {
      if (name?.startsWith(`canvass-upload-${process.pid}-`)) written.add(name)
    })
    try {
      await survey.owner.put(`/api/v3/surveys/${survey.id}/`, { json: { live: false } })
      expect((await submit(page, { 'photo\\file': picture() })).status).toBe(403)
      await survey.owner.put(`/api/v3/surveys/${survey.id}/`, { json: { live: true } })
      await submit(page, { 'photo\\file': picture() })
      while (written.size === 0) await wait(10)
      expect(written.size).toBe(1)
    } finally {
      watcher.close()
    }
    expect(await stored(survey)).toMatchObject([{ name: 'kitchen.png' }])
  })

  it('keeps the earlier file when a new file is rejected', async () => {
    const mail = { idname: 'email', id: 'mail', title: 'Email', children: [{ required: true }] }
    const survey = await type.survey([upload({ maxSize: 1 }), mail])
    const first = await type.world.anonymous.get(pathOf(survey))
    const withFile = await submit(first, { 'photo\\file': picture('a.png'), mail: 'nobody' })
    const wrong = new File(['a,b\n1,2\n'], 'table.csv')
    const rejected = await submit(withFile, { 'photo\\file': wrong, mail: 'a@example.org' })
    expect(rejected.text).toContain('has a type that is not accepted')
    await submit(rejected, { mail: 'a@example.org' })
    expect(await stored(survey)).toMatchObject([{ name: 'a.png', response_id: expect.anything() }])
  })

  it('does not accept the file of another respondent, survey or question', async () => {
    const survey = await type.survey([upload(), { ...upload({ required: false }), id: 'other' }])
    const page = await submit(await type.world.anonymous.get(pathOf(survey)), {
      'photo\\file': picture(),
      _go: 'upload',
    })
    const key = JSON.parse(page.text).files[0].key
    const mine = await type.world.anonymous.get(pathOf(survey))
    expect((await submit(mine, { photo: key })).text).toContain('This file is no longer available.')
    const other = await type.survey([upload()])
    for (const answer of [
      () => other.answer({ photo: key }),
      () => survey.answer({ other: key }),
      () => survey.answer({ photo: key }),
    ])
      expect((await answer()).body.errors).toEqual([expect.objectContaining({ code: 'file_not_found' })])
  })

  it('returns an error for each kind of invalid upload by a program', async () => {
    const survey = await type.survey([upload(), { idname: 'number', id: 'age', title: 'Age' }])
    const uri = `/api/v3/surveys/${survey.id}/files/`
    const codes = async (reply: Promise<Reply>) => {
      const { status, body } = await reply
      return [status, body.errors?.[0].code ?? body.code]
    }
    expect(await codes(survey.owner.post(`${uri}?question=photo`))).toEqual([400, 'required'])
    const body = { body: PICTURE, headers: { 'content-type': 'application/octet-stream' } }
    expect(await codes(survey.owner.post(`${uri}?question=age`, body))).toEqual([400, 'not_answerable'])
    expect(await codes(survey.owner.post(`${uri}?question=x`, body))).toEqual([400, 'unknown_question'])
    for (const other of [{ multipart: { file: picture() } }, { json: {} }])
      expect(await codes(survey.owner.post(`${uri}?question=photo`, other))).toEqual([415, 'unsupported_media_type'])
    expect(await codes(send(survey, new File([Buffer.alloc(3_000_000)], 'a.png')))).toEqual([413, 'body_too_large'])
    const stranger = await type.world.person()
    expect((await stranger.post(`${uri}?question=photo`, body)).status).toBe(404)
    expect(await stored(survey)).toEqual([])
    expect(temporaryFiles()).toEqual([])
  })

  it('leaves nothing behind if the form ends in the middle of the file', async () => {
    const survey = await type.survey([upload()])
    const { hostname, port } = new URL(survey.url)
    const part = 'Content-Disposition: form-data; name="photo\\file"; filename="a.png"'
    const body = `--b\r\n${part}\r\nContent-Type: image/png\r\n\r\nincomplete`
    const headers = [
      'Host: localhost',
      'Connection: close',
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${body.length}`,
    ]
    const socket = connect(Number(port), hostname)
    // The whole request is sent in one packet, so that the form fails before the temporary folder of the file exists.
    socket.write(`POST ${pathOf(survey)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /)
    expect(temporaryFiles()).toEqual([])
    expect((await type.world.anonymous.get(pathOf(survey))).status).toBe(200)
  })

  it('rejects a form with eleven files, and leaves nothing behind', async () => {
    const survey = await type.survey([upload({ maxFiles: 10 })])
    const page = await type.world.anonymous.get(pathOf(survey))
    expect((await submit(page, { 'photo\\file': Array.from({ length: 11 }, () => picture()) })).status).toBe(413)
    expect(temporaryFiles()).toEqual([])
  })

  it('leaves nothing behind when a client disconnects during an upload', async () => {
    const survey = await type.survey([upload()])
    const socket = request(new URL(`/api/v3/surveys/${survey.id}/files/?question=photo`, survey.url), {
      method: 'POST',
      headers: {
        authorization: survey.owner.authorization!,
        'content-type': 'application/octet-stream',
        'content-length': '1000000',
      },
    })
    socket.on('error', () => undefined)
    socket.write(Buffer.alloc(200_000))
    while (temporaryFiles().length === 0) await wait(10)
    socket.destroy()
    while (temporaryFiles().length > 0) await wait(10)
    expect(await stored(survey)).toEqual([])
  })
})
