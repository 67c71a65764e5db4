import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { addSurvey, hiddenValue, pageOf, storedResponses, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const MB = 1024 * 1024
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const textOf = (bytes: number) => 'x'.repeat(bytes)

describe('the size limit of forms', () => {
  test.each(['/accounts/login/', '/accounts/password/', '/accounts/password/new/'])(
    'is 64 KB at %s without a session',
    async (path) => {
      const reply = await world.anonymous.post(path, { body: `username=${textOf(64 * 1024)}`, headers: FORM })
      expect(reply.status).toBe(413)
      expect(reply.text).toContain('The body is larger than 64 KB.')
      const small = await world.anonymous.post(path, { body: `username=${textOf(60 * 1024)}`, headers: FORM })
      expect(small.status).not.toBe(413)
    },
  )

  test('allows two answers of the maximum length on a survey page, also in characters of three bytes', async () => {
    const { survey, path } = await addSurvey(ann, {
      title: 'T',
      form: [pageOf(text('a', { lines: 5 }), text('b', { lines: 5 }))],
    })
    const browser = new HttpBrowser(world.base)
    const page = await browser.get(path)
    const long = '語'.repeat(100_000)
    const fields = { _key: hiddenValue(page, '_key'), _page: '1', a: long, b: long }
    expect((await browser.post(path, fields)).status).toBe(303)
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ a: long, b: long })
    const rejected = await browser.post(path, { ...fields, b: textOf(2 * MB) }, { 'accept-language': 'de' })
    expect(rejected.status).toBe(413)
    expect(rejected.text).toContain('Ihre Antworten sind zu lang')
    const manyFields = await browser.post(
      path,
      Array.from({ length: 20_001 }, () => ['a', ''] as [string, string]),
    )
    expect(manyFields.status).toBe(413)
  })

  test('is not checked without a session, because the reply redirects before the body is read', async () => {
    const browser = new HttpBrowser(world.base)
    const reply = await browser.upload('/account/contacts/import/', textOf(11 * MB))
    expect([reply.status, reply.to]).toEqual([303, '/accounts/login/?next=%2Faccount%2F'])
  })

  test('does not replace the error 415 for a body that is not a form', async () => {
    for (const path of ['/accounts/login/', '/accounts/password/'])
      expect((await world.anonymous.post(path, { json: { username: {}, password: {} } })).status).toBe(415)
  })

  test('is 64 KB at the OAuth endpoints', async () => {
    for (const path of ['/accounts/oauth/token/', '/accounts/oauth/revoke/']) {
      const reply = await world.anonymous.post(path, { body: `code=${textOf(64 * 1024)}`, headers: FORM })
      expect([reply.status, reply.body]).toEqual([
        413,
        { error: 'invalid_request', error_description: 'The body is larger than 64 KB.' },
      ])
    }
  })
})

describe('the size limit of forms of a signed-in user', () => {
  let browser: HttpBrowser
  beforeAll(async () => {
    browser = await signInAs(ann)
  })

  test('is 1 MB; a larger form gets an error page', async () => {
    await browser.get('/account/')
    const reply = await browser.post('/account/', { name: textOf(MB) })
    expect(reply.status).toBe(413)
    expect(reply.text).toContain('The form is too large')
    expect(reply.text).toContain('The body is larger than 1 MB.')
    expect(reply.text).toContain('Sign out')
  })

  test('is 10 MB for an import of contacts', async () => {
    const path = '/account/contacts/import/'
    await browser.get(path)
    const notes = Array.from({ length: 5 }, () => textOf(1900)).join()
    const row = (n: number) => `Person ${n},person${n}@example.net,${notes}\n`
    const file = `name,email,one,two,three,four,five\n${Array.from({ length: 1000 }, (_, n) => row(n)).join('')}`
    expect(file.length).toBeGreaterThan(9 * MB)
    const columns = await browser.upload(path, file)
    expect([columns.status, columns.text]).toEqual([200, expect.stringContaining('What the columns contain')])
    await browser.get(path)
    const reply = await browser.upload(path, textOf(10 * MB))
    expect(reply.status).toBe(413)
    expect(reply.text).toContain('The body is larger than 10 MB.')
  }, 120_000)

  test('is larger for a structure, which may have at most 100,000 values', async () => {
    const { survey } = await addSurvey(ann, { title: 'T', form: [pageOf(text('a'))] })
    const path = `/account/surveys/${survey.id}/edit/json/`
    const structure = { title: 'T', note: textOf(2 * MB), form: [pageOf(text('a'))] }
    const editor = await browser.get(path)
    const [, version = ''] = /name="version" value="(\d+)"/.exec(editor.text)!
    const saved = await browser.post(path, { version, structure: JSON.stringify(structure) })
    expect([saved.status, saved.to]).toEqual([303, path])
    const tooManyValues = JSON.stringify({ title: 'T', note: Array.from({ length: 100_000 }, () => 1) })
    const rejected = await browser.post(path, { version, structure: tooManyValues })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain('must have at most 100,000 values')
    const created = await browser.post('/account/surveys/new/', { name: 'X', structure: tooManyValues })
    expect(created.status).toBe(422)
    expect(created.text).toContain('must have at most 100,000 values')
  })
})
