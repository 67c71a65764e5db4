import { beforeAll, describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { hiddenValue, pageOf, responsesTo, surveyOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const MB = 1024 * 1024
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const much = (size: number) => 'x'.repeat(size)

describe('the size limit of forms', () => {
  test.each(['/accounts/login/', '/accounts/password/', '/accounts/password/new/'])(
    '%s takes 64 KB from somebody unknown',
    async (path) => {
      const reply = await world.anonymous.post(path, { body: `username=${much(64 * 1024)}`, headers: FORM })
      expect(reply.status).toBe(413)
      expect(reply.text).toContain('The body is larger than 64 KB.')
      const small = await world.anonymous.post(path, { body: `username=${much(60 * 1024)}`, headers: FORM })
      expect(small.status).not.toBe(413)
    },
  )

  test('allows two answers of the maximum length in any script, and rejects megabytes', async () => {
    const { survey, path } = await surveyOf(world, ann, {
      title: 'T',
      form: [pageOf(text('a', { lines: 5 }), text('b', { lines: 5 }))],
    })
    const visitor = new Visitor(world.base)
    const page = await visitor.get(path)
    const long = '語'.repeat(100_000)
    const fields = { _key: hiddenValue(page, '_key'), _page: '1', a: long, b: long }
    expect((await visitor.post(path, fields)).status).toBe(303)
    expect((await responsesTo(world, survey.id))[0]!.answers).toEqual({ a: long, b: long })
    const refused = await visitor.post(path, { ...fields, b: much(2 * MB) }, { 'accept-language': 'de' })
    expect(refused.status).toBe(413)
    expect(refused.text).toContain('Ihre Antworten sind zu lang')
    const many = await visitor.post(
      path,
      Array.from({ length: 20_001 }, () => ['a', ''] as [string, string]),
    )
    expect(many.status).toBe(413)
  })

  test('is checked after the session, before the body is read', async () => {
    const visitor = new Visitor(world.base)
    const reply = await visitor.upload('/account/contacts/import/', much(11 * MB))
    expect([reply.status, reply.to]).toEqual([303, '/accounts/login/?next=%2Faccount%2F'])
  })

  test('does not hide that a body is not a form', async () => {
    for (const path of ['/accounts/login/', '/accounts/password/'])
      expect((await world.anonymous.post(path, { json: { username: {}, password: {} } })).status).toBe(415)
  })

  test('is 64 KB at the OAuth endpoints', async () => {
    for (const path of ['/accounts/oauth/token/', '/accounts/oauth/revoke/']) {
      const reply = await world.anonymous.post(path, { body: `code=${much(64 * 1024)}`, headers: FORM })
      expect([reply.status, reply.body]).toEqual([
        413,
        { error: 'invalid_request', error_description: 'The body is larger than 64 KB.' },
      ])
    }
  })

  test('is 64 KB for the operation without credentials', async () => {
    const path = '/api/v2/accounts/generate-login-url/'
    const reply = await world.anonymous.post(path, { json: { key: much(64 * 1024) } })
    expect([reply.status, reply.body]).toEqual([
      413,
      expect.objectContaining({ code: 'body_too_large', description: 'The body is larger than 64 KB.' }),
    ])
  })
})

describe('a signed-in user', () => {
  let browser: Visitor
  beforeAll(async () => {
    browser = new Visitor(world.base)
    await browser.signIn(ann.actor.username, ann.password)
  })

  test('sees an error page for a form that is too large', async () => {
    await browser.get('/account/')
    const reply = await browser.post('/account/', { name: much(MB) })
    expect(reply.status).toBe(413)
    expect(reply.text).toContain('The form is too large')
    expect(reply.text).toContain('The body is larger than 1 MB.')
    expect(reply.text).toContain('Sign out')
  })

  test('imports files of up to 10 MB', async () => {
    const path = '/account/contacts/import/'
    await browser.get(path)
    const notes = Array.from({ length: 5 }, () => much(1900)).join()
    const row = (n: number) => `Person ${n},person${n}@example.net,${notes}\n`
    const file = `name,email,one,two,three,four,five\n${Array.from({ length: 1000 }, (_, n) => row(n)).join('')}`
    expect(file.length).toBeGreaterThan(9 * MB)
    expect((await browser.upload(path, file)).to).toBe('/account/contacts/')
    await browser.get(path)
    const reply = await browser.upload(path, much(10 * MB))
    expect(reply.status).toBe(413)
    expect(reply.text).toContain('The body is larger than 10 MB.')
  }, 120_000)

  test('saves structures larger than other forms, of at most 100,000 values', async () => {
    const { survey } = await surveyOf(world, ann, { title: 'T', form: [pageOf(text('a'))] })
    const path = `/account/surveys/${survey.id}/edit/`
    const structure = { title: 'T', note: much(2 * MB), form: [pageOf(text('a'))] }
    const editor = await browser.get(path)
    const [, version = ''] = /name="version" value="(\d+)"/.exec(editor.text)!
    const saved = await browser.post(path, { version, structure: JSON.stringify(structure) })
    expect([saved.status, saved.to]).toEqual([303, path])
    const heavy = JSON.stringify({ title: 'T', note: Array.from({ length: 100_000 }, () => 1) })
    const refused = await browser.post(path, { version, structure: heavy })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('must have at most 100,000 values')
    const made = await browser.post('/account/surveys/new/', { name: 'X', structure: heavy })
    expect(made.status).toBe(422)
    expect(made.text).toContain('must have at most 100,000 values')
  })
})
