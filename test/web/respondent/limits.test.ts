import { once } from 'node:events'
import http from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../../support/http-browser.ts'
import { makeSurvey } from '../../support/responses.ts'
import { addSurvey, pageOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({
  settings: {
    RATE_LIMIT: 'on',
    TRUSTED_PROXIES: '1',
    SURVEY_REQUESTS_PER_MINUTE: '20',
    SUBMISSIONS_PER_MINUTE: '3',
    UPLOADS_PER_MINUTE: '2',
    UPLOAD_MB_PER_HOUR: '1',
    PAGE_MB_PER_HOUR: '1',
  },
})

describe('the limit of submissions per network', () => {
  test('returns 429 and the entered values above the limit, and does not affect other networks', async () => {
    const person = await world.person()
    const { path } = await addSurvey(person, { title: 'Tea', form: [pageOf(text('q0'))] })
    /** Submits the survey as a new respondent. */
    const submit = (address: string, fields: Record<string, string> = {}) =>
      new HttpBrowser(world.base).post(
        path,
        { q0: 'Tea with <milk>', _go: 'next', ...fields },
        { 'x-forwarded-for': address },
      )
    for (let n = 0; n < 3; n += 1) expect((await submit('2001:db8::1')).status).toBe(303)
    const throttled = await submit('2001:db8::2')
    expect(throttled.status).toBe(429)
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(throttled.text).toContain('Too many answers are arriving from your network')
    expect(throttled.text).toContain('Tea with &lt;milk&gt;')
    expect((await submit('2001:db8::1', { _go: 'look' })).status).toBe(200)
    expect((await submit('192.0.2.1')).status).toBe(303)
    const { rows } = await world.application.services.pool.query('select count(*)::int as stored from response')
    expect(rows).toEqual([{ stored: 4 }])
  })

  test('returns 429 for more megabytes of pages in an hour, and does not affect other networks', async () => {
    const { path } = await addSurvey(await world.person(), { title: 'Tea', form: [pageOf(text('q0'), text('q1'))] })
    const submit = (address: string, fields: Record<string, string>) =>
      new HttpBrowser(world.base).post(path, { ...fields, _go: 'next' }, { 'x-forwarded-for': address })
    const large = { q0: 'é'.repeat(80_000), q1: 'é'.repeat(80_000) }
    expect((await submit('192.0.2.11', large)).status).toBe(303)
    const throttled = await submit('192.0.2.11', large)
    expect(throttled.status).toBe(429)
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await submit('192.0.2.12', { q0: 'Tea' })).status).toBe(303)
  })

  test('does not apply to loopback addresses', async () => {
    const { path } = await addSurvey(await world.person(), { title: 'Tea', form: [pageOf(text('q0'))] })
    for (let n = 0; n < 8; n += 1)
      expect((await new HttpBrowser(world.base).post(path, { q0: 'Tea', _go: 'next' })).status).toBe(303)
  })

  test('does not apply to responses created through the API', async () => {
    const person = await world.person()
    const id = await makeSurvey(person, { title: 'Lunch', form: [] })
    for (let n = 0; n < 8; n += 1)
      expect((await person.post(`/api/v3/surveys/${id}/responses/`, { form: { _completed: 1 } })).status).toBe(201)
  })
})

describe('the limit of files per network', () => {
  test('returns 429 and the entered values above the limit, and does not affect pages without files', async () => {
    const form = [
      pageOf(text('q0'), { idname: 'file-upload', id: 'file', title: 'Files', children: [{ maxFiles: 3 }] }),
    ]
    const { path } = await addSurvey(await world.person(), { title: 'Tea', form })
    const submit = (files: number) =>
      world.anonymous.post(path, {
        multipart: {
          q0: 'Tea with <milk>',
          'file\\file': Array.from({ length: files }, (_, n) => new File(['tea'], `${n}.txt`)),
          _go: 'next',
        },
        headers: { 'x-forwarded-for': '192.0.2.7' },
      })
    for (const files of [3, 1]) {
      const throttled = await submit(files)
      expect(throttled.status).toBe(429)
      expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(throttled.text).toContain('Tea with &lt;milk&gt;')
    }
    expect((await submit(0)).status).toBe(303)
    const { rows } = await world.application.services.pool.query('select count(*)::int as stored from uploaded_file')
    expect(rows).toEqual([{ stored: 0 }])
  })

  test('returns 429 for more megabytes of files in an hour, and does not affect other networks', async () => {
    const form = [pageOf({ idname: 'file-upload', id: 'file', title: 'File' })]
    const { path } = await addSurvey(await world.person(), { title: 'Tea', form })
    const submit = (address: string) =>
      world.anonymous.post(path, {
        multipart: { 'file\\file': new File(['tea'.repeat(200_000)], 'tea.txt'), _go: 'next' },
        headers: { 'x-forwarded-for': address },
      })
    expect((await submit('192.0.2.21')).status).toBe(303)
    const throttled = await submit('192.0.2.21')
    expect(throttled.status).toBe(429)
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await submit('192.0.2.22')).status).toBe(303)
  })

  test('rejects an upload through the API above the limit before the whole file has arrived', async () => {
    const owner = await world.person()
    const upload = () =>
      owner.post('/api/v3/surveys/1/files/?question=photo', {
        body: new Uint8Array([1]),
        headers: { 'content-type': 'application/octet-stream' },
      })
    for (let n = 0; n < 2; n += 1) expect((await upload()).status).toBe(404)
    const request = http.request(`${world.base}/api/v3/surveys/1/files/?question=photo`, {
      method: 'POST',
      headers: {
        authorization: owner.authorization!,
        'content-type': 'application/octet-stream',
        'content-length': 20_000_000,
      },
    })
    request.on('error', () => undefined)
    request.write('a')
    const [reply] = await once(request, 'response')
    request.destroy()
    expect(reply.statusCode).toBe(429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('the limit of requests for survey pages per network', () => {
  test('counts opened pages, requests of scripts and submitted pages, and returns 429 above the limit', async () => {
    const { path } = await addSurvey(await world.person(), { title: 'Tea', form: [pageOf(text('q0'))] })
    const headers = { 'x-forwarded-for': '198.51.100.4' }
    const open = () => new HttpBrowser(world.base).get(path, headers)
    const post = (go: string) => new HttpBrowser(world.base).post(path, { q0: 'Tea', _go: go }, headers)
    for (let n = 0; n < 9; n += 1) expect((await open()).status).toBe(200)
    for (let n = 0; n < 9; n += 1) expect((await post('look')).status).toBe(200)
    expect((await post('next')).status).toBe(303)
    expect((await world.anonymous.get(`${path}${'0'.repeat(40)}/`, { headers })).status).toBe(404)
    for (const throttled of [await open(), await post('look'), await post('next')]) {
      expect(throttled.status).toBe(429)
      expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(throttled.text).toContain('Too many pages are being opened from your network.')
    }
    expect((await new HttpBrowser(world.base).get(path, { 'x-forwarded-for': '198.51.100.5' })).status).toBe(200)
    for (let n = 0; n < 25; n += 1) expect((await world.anonymous.get(path)).status).toBe(200)
  })
})
