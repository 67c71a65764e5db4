import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { openBucket } from '../../src/lib/bucket.ts'
import { useBucket } from '../support/bucket.ts'
import { eraseSurvey, formAction } from '../support/surveys.ts'
import { PICTURE, pathOf, picture, send, temporaryFiles, upload, useUploads } from '../support/uploads.ts'

const bucket = useBucket('files')
const { type, stored, submit } = useUploads({ FILES_URL: 's3://files/canvass' })

const execute = (statement: string, parameters: unknown[] = []) =>
  type.world.em().getConnection().execute(statement, parameters)

/** Runs the job that deletes objects. */
async function deleteObjects(): Promise<void> {
  await type.world.application.boss.send('delete-file-objects', {})
  await type.world.runJobs()
}

/** Returns the number of failed reads in the metrics. */
const failedReads = async () =>
  /file_store_failures_total\{operation="read"\} (\d+)/.exec(
    await (await fetch(`${type.world.base}/metrics`)).text(),
  )![1]

/** Returns the number of queued deletions. */
const queued = async () => (await execute('select from file_deletion')).length

describe('a bucket of uploaded files', () => {
  it('contains the files, which only the server sends to users, and only to users who may read the response', async () => {
    const survey = await type.survey([upload({ maxFiles: 2 })])
    const { owner, id } = survey
    const page = await submit(await type.world.anonymous.get(pathOf(survey)), { 'photo\\file': picture('a.png') })
    expect(page.text).toContain('Thank you!')
    const [row] = await execute('select key, store, response_id from uploaded_file where survey_id = ?', [id])
    expect(row!.store).toBe('s3://files/canvass/')
    expect(bucket.objects()).toEqual([`canvass/${id}/${row!.key}`])
    expect(await execute('select from uploaded_file_chunk where survey_id = ?', [id])).toEqual([])
    const uri = `/api/v3/surveys/${id}/responses/${row!.response_id}/files/${row!.key}/`
    const reply = await fetch(type.world.base + uri, { headers: { authorization: owner.authorization! } })
    expect(Buffer.from(await reply.arrayBuffer()).equals(PICTURE)).toBe(true)
    expect((await (await type.world.person()).get(uri)).status).toBe(404)
    const archive = await owner.get(`/api/v3/users/${owner.actor.id}/export/`)
    expect(archive.text).toContain(`/files/${row!.response_id}/${row!.key}-a.png`)
    expect(await queued()).toBe(0)
    expect(temporaryFiles()).toEqual([])
    await eraseSurvey(owner, id)
    await deleteObjects()
    expect(bucket.objects()).toEqual([])
  })

  it('loses a file when its answer or response is deleted, or when no response has used it for a day', async () => {
    const survey = await type.survey([upload({ maxFiles: 3, required: false })])
    const { owner, id } = survey
    const [a, b, c] = [await send(survey, picture()), await send(survey, picture()), await send(survey, picture())].map(
      ({ body }) => body.key,
    )
    const { body: response } = await survey.answer({ photo: `${a} ${b}` })
    const uri = `/api/v3/surveys/${id}/responses/${response.id}/`
    const names = (...keys: string[]) => keys.map((key) => `canvass/${id}/${key}`).sort()
    await owner.put(uri, { json: { photo: b } })
    expect(bucket.objects()).toEqual(names(a, b, c))
    await deleteObjects()
    expect(bucket.objects()).toEqual(names(b, c))
    await owner.delete(uri)
    await owner.delete(`/api/v3/surveys/${id}/responses/trash/`)
    await deleteObjects()
    expect(bucket.objects()).toEqual(names(c))
    const { now } = type.world
    try {
      type.world.now = new Date(now.getTime() + 26 * 3_600_000)
      await type.world.application.boss.send('purge-expired-credentials', {})
      await type.world.runJobs()
      await deleteObjects()
    } finally {
      type.world.now = now
    }
    expect(bucket.objects()).toEqual([])
    expect(await queued()).toBe(0)
  })

  it('deletes the file of an upload whose transaction failed, once the deletion is due', async () => {
    const survey = await type.survey([upload()])
    await execute(`alter table uploaded_file add constraint refused check (survey_id <> ${survey.id})`)
    expect((await send(survey, picture())).status).toBe(500)
    await execute('alter table uploaded_file drop constraint refused')
    expect(bucket.objects().length).toBe(1)
    await deleteObjects()
    expect(bucket.objects().length).toBe(1)
    await execute('update file_deletion set due_at = now()')
    await deleteObjects()
    expect(bucket.objects()).toEqual([])
  })

  it('receives the file of a request with an Idempotency-Key in a transaction without a limit of idle time', async () => {
    const survey = await type.survey([upload()])
    const limit = `current_setting('idle_in_transaction_session_timeout')`
    await execute(
      `alter table uploaded_file add constraint unlimited check (survey_id <> ${survey.id} or ${limit} = '0')`,
    )
    expect((await send(survey, picture(), { 'idempotency-key': 'slow-upload' })).status).toBe(201)
    await execute('alter table uploaded_file drop constraint unlimited')
    await eraseSurvey(survey.owner, survey.id)
    await deleteObjects()
  })

  it('can be unavailable: respondents see an error and keep what they typed, and deletions are repeated later', async () => {
    const survey = await type.survey([
      upload({ required: false }),
      { idname: 'text-response', id: 'why', title: 'Why?' },
    ])
    const { owner, id } = survey
    const { body: kept } = await send(survey, picture())
    const { body: response } = await survey.answer({ photo: kept.key })
    const uri = `/api/v3/surveys/${id}/responses/${response.id}/`
    const page = await type.world.anonymous.get(pathOf(survey))
    await bucket.stop()
    try {
      const failed = await submit(page, { 'photo\\file': picture(), why: 'I like it' })
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '60'])
      expect(failed.text).toContain('The upload failed. Check your connection, then choose the file again.')
      expect(failed.text).toContain('I like it')
      expect(formAction(failed)).toBe(formAction(page))
      const scripted = await submit(page, { 'photo\\file': picture(), _go: 'upload' })
      expect(scripted.status).toBe(503)
      const api = await send(survey, picture(), { 'idempotency-key': 'upload-while-stopped' })
      expect([api.status, api.body.code]).toEqual([503, 'unavailable'])
      const download = await owner.get(`${uri}files/${kept.key}/`)
      expect([download.status, download.body.code]).toEqual([503, 'unavailable'])
      await owner.delete(uri)
      await owner.delete(`/api/v3/surveys/${id}/responses/trash/`)
      await deleteObjects()
      expect(await stored(survey)).toEqual([])
    } finally {
      await bucket.start()
    }
    expect(bucket.objects()).toEqual([`canvass/${id}/${kept.key}`])
    expect((await send(survey, picture(), { 'idempotency-key': 'upload-while-stopped' })).status).toBe(201)
    const again = await submit(page, { 'photo\\file': picture(), why: 'I like it' })
    expect(again.text).toContain('Thank you!')
    expect(temporaryFiles()).toEqual([])
    await execute('update file_deletion set due_at = now()')
    await deleteObjects()
    expect(await queued()).toBe(0)
    expect(bucket.objects().length).toBe((await stored(survey)).length)
    const metrics = await (await fetch(`${type.world.base}/metrics`)).text()
    expect(metrics).toMatch(/canvass_file_store_failures_total\{operation="write"\} 3/)
    expect(metrics).toContain('canvass_file_deletions_pending 0')
  })

  it('answers 404 for an object that somebody deleted, and keeps old files readable when the setting changes', async () => {
    const survey = await type.survey([upload({ maxFiles: 2 })])
    const { owner, id } = survey
    const { body: inBucket } = await send(survey, picture())
    const { files } = type.world.application.services
    const { store } = files
    files.store = undefined
    const { body: inDatabase } = await send(survey, picture()).finally(() => {
      files.store = store
    })
    const { body: response } = await survey.answer({ photo: [inBucket.key, inDatabase.key] })
    const uri = `/api/v3/surveys/${id}/responses/${response.id}/files/`
    for (const { key } of [inBucket, inDatabase]) expect((await owner.get(`${uri}${key}/`)).status).toBe(200)
    await (await files.openBucket('s3://files/canvass/')).remove(`${id}/${inBucket.key}`)
    const failures = await failedReads()
    expect((await owner.get(`${uri}${inBucket.key}/`)).body.code).toBe('file_not_found')
    const archive = await owner.get(`/api/v3/users/${owner.actor.id}/export/`)
    expect(archive.text).toContain(`/files/${response.id}/${inBucket.key}-kitchen.png`)
    expect(archive.text).toContain(`/files/${response.id}/${inDatabase.key}-kitchen.png`)
    expect(await failedReads()).toBe(failures)
  })

  it('waits for a reader that pauses longer than the time limit', async () => {
    const limitMs = 2_000
    const store = openBucket('s3://files/large/', { region: 'us-east-1', addressing: 'auto' }, limitMs)
    const content = randomBytes(10_000_000)
    const digest = createHash('sha256').update(content).digest('hex')
    await store.put('a', { bytes: content.length, digest, read: () => Readable.from([content]) })
    const stream = await store.read('a')
    await wait(limitMs + 500)
    expect((await buffer(stream)).equals(content)).toBe(true)
    await store.remove('a')
    store.close()
  })

  it('rejects a file that cannot be read', async () => {
    const store = openBucket('s3://files/unread/', { region: 'us-east-1', addressing: 'auto' })
    const file = { bytes: 1, digest: '0'.repeat(64), read: () => createReadStream('/missing') }
    await expect(store.put('a', file)).rejects.toThrow('ENOENT')
    expect(bucket.objects().filter((name) => name.startsWith('unread'))).toEqual([])
    store.close()
  })
})
