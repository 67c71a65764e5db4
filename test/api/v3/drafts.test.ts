import { beforeEach, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string
let published: string
beforeEach(async () => {
  ann = await world.person()
  uri = (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body.survey_uri
  published = `${uri}structure/`
  await ann.put(published, { json: survey('Before?') })
})

const survey = (title: string) => ({
  title: 'Feedback',
  form: [{ children: [{ idname: 'text-response', id: 'q1', title }] }],
})
const titleIn = (structure: { form: { children: { title: object }[] }[] }) => structure.form[0]!.children[0]!.title

describe('getDraft [spec 5.10]', () => {
  test('returns the published structure if there is no draft', async () => {
    const { status, body } = await ann.get(`${uri}draft/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ version: 2, changed: false, author: null, updated_at: null })
    expect(body.structure).toEqual((await ann.get(published)).body)
  })
})

describe('updateDraft [spec 5.10]', () => {
  test('saves a draft with its author, returns warnings, and does not change the published structure', async () => {
    const mistaken = { ...survey('After?'), titel: 'x' }
    const { status, body } = await ann.put(`${uri}draft/`, { json: mistaken })
    expect(status).toBe(200)
    expect(body).toMatchObject({ version: 2, changed: true, warnings: [{ code: 'unknown_member', pointer: '/titel' }] })
    expect(titleIn(body.structure)).toEqual({ en: 'After?' })
    expect(titleIn((await ann.get(published)).body)).toEqual({ en: 'Before?' })
    const { warnings: _, ...saved } = body
    expect((await ann.get(`${uri}draft/`)).body).toEqual(saved)
    expect(body.author).toMatch(/\/api\/v3\/users\/\d+\/$/)
  })

  test('accepts the fetched draft with a change, and a structure without title', async () => {
    const { body } = await ann.get(`${uri}draft/`)
    body.structure.form[0].children[0].title = 'Third?'
    expect((await ann.put(`${uri}draft/`, { json: body })).status).toBe(200)
    const { form } = survey('Fourth?')
    expect((await ann.put(`${uri}draft/`, { json: { form } })).body.structure.title).toEqual({ en: 'Feedback' })
  })

  test('returns 400 with the position for an invalid structure, and keeps the draft', async () => {
    await ann.put(`${uri}draft/`, { json: survey('After?') })
    const invalid = { title: 'x', form: [{ children: [{ idname: 'single-choice', id: 'a', children: [{}] }] }] }
    const reply = await ann.put(`${uri}draft/`, { json: invalid })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_structure' } })
    expect(reply.body.errors[0].field).toMatch(/^\/form\/0\/children\/0/)
    expect(titleIn((await ann.get(`${uri}draft/`)).body.structure)).toEqual({ en: 'After?' })
  })

  test('saves one of two concurrent drafts with the same If-Match, and returns 412 for the other', async () => {
    const headers = { 'If-Match': (await ann.get(`${uri}draft/`)).headers.get('etag')! }
    const replies = await Promise.all(
      ['One?', 'Two?'].map((title) => ann.put(`${uri}draft/`, { json: survey(title), headers })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})

describe('discardDraft', () => {
  test('deletes the draft, and changes nothing if there is none', async () => {
    await ann.put(`${uri}draft/`, { json: survey('After?') })
    for (let time = 0; time < 2; time += 1)
      expect(await ann.delete(`${uri}draft/`)).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(`${uri}draft/`)).body).toMatchObject({ changed: false, updated_at: null })
  })
})

describe('checkDraft [spec 5.10]', () => {
  test('lists what is unfinished in the draft, and says which findings stop publishing', async () => {
    const choices = [{ label: 'Choice 1' }, { label: 'No' }]
    const form = [
      {
        children: [
          { idname: 'single-choice', id: 'member', title: 'Member?', children: [{ choices }] },
          { idname: 'text-response', id: 'why', children: [{}] },
        ],
      },
    ]
    const languages = [
      { code: 'en', name: 'English', isDefault: true },
      { code: 'cs', name: 'Čeština' },
    ]
    const saved = await ann.put(`${uri}draft/`, { json: { title: { en: 'Club', cs: 'Klub' }, languages, form } })
    const { status, body } = await ann.get(`${uri}draft/check/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ revision: saved.body.revision, publishable: false, count: 6 })
    const listed = body.findings.map((finding: Record<string, unknown>) =>
      [finding.code, finding.pointer, finding.stops_publishing].join(' '),
    )
    expect(listed).toEqual([
      'untitled_question /form/0/children/1 true',
      'default_choice /form/0/children/0/children/0/choices/0 false',
      'missing_system_texts /languages/1 false',
      'untranslated_text /form/0/children/0/title false',
      'untranslated_text /form/0/children/0/children/0/choices/0/label false',
      'untranslated_text /form/0/children/0/children/0/choices/1/label false',
    ])
    // Programs publish what they want to publish.
    expect((await ann.post(`${uri}draft/publish/`, { json: {} })).status).toBe(200)
  })

  test('regards a language as complete if the owner has written all texts in it', async () => {
    const languages = [{ code: 'cs', name: 'Čeština', isDefault: true }]
    await ann.put(published, { json: { ...survey('Proč?'), languages } })
    const codes = async () =>
      (await ann.get(`${uri}draft/check/`)).body.findings.map(({ code }: { code: string }) => code)
    expect(await codes()).toEqual(['missing_system_texts'])
    const { body } = await ann.get(`${uri}texts/`)
    const { next, ...own } = body.defaults.cs
    await ann.put(`${uri}texts/`, { json: { texts: { cs: own } } })
    expect(await codes()).toEqual(['missing_system_texts'])
    expect((await ann.put(`${uri}texts/`, { json: { texts: { cs: { next: `${next}!` } } } })).status).toBe(200)
    expect(await codes()).toEqual([])
  })

  test('finds nothing in a finished survey, and one thing in an empty one', async () => {
    expect((await ann.get(`${uri}draft/check/`)).body).toMatchObject({ publishable: true, count: 0, findings: [] })
    await ann.put(`${uri}draft/`, { json: { title: 'Empty', form: [] } })
    const { body } = await ann.get(`${uri}draft/check/`)
    expect(body).toMatchObject({ publishable: false, count: 1, findings: [{ code: 'no_questions', pointer: '/form' }] })
  })
})

describe('publishDraft [spec 5.10]', () => {
  test('saves the draft as the next version, once', async () => {
    await ann.put(`${uri}draft/`, { json: survey('After?') })
    const { status, body } = await ann.post(`${uri}draft/publish/`)
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'OK', version: 3, changed: true, opened: false, warnings: [] })
    expect(titleIn((await ann.get(published)).body)).toEqual({ en: 'After?' })
    expect((await ann.post(`${uri}draft/publish/`)).body).toMatchObject({ version: 3, changed: false })
  })

  test('returns 409 if another version was published after the draft was started, unless the request names that version', async () => {
    await ann.put(`${uri}draft/`, { json: survey('After?') })
    await ann.put(published, { json: survey('Meanwhile?') })
    const reply = await ann.post(`${uri}draft/publish/`)
    expect(reply).toMatchObject({ status: 409, body: { code: 'structure_changed' } })
    expect((await ann.post(`${uri}draft/publish/`, { json: { replaces: 3 } })).body).toMatchObject({ version: 4 })
    expect(titleIn((await ann.get(published)).body)).toEqual({ en: 'After?' })
  })

  test('returns 409 if the draft has changed since the given revision', async () => {
    const { revision } = (await ann.put(`${uri}draft/`, { json: survey('Seen?') })).body
    await ann.put(`${uri}draft/`, { json: survey('Unseen?') })
    const reply = await ann.post(`${uri}draft/publish/`, { json: { revision } })
    expect(reply).toMatchObject({ status: 409, body: { code: 'structure_changed' } })
    expect(titleIn((await ann.get(published)).body)).toEqual({ en: 'Before?' })
  })
})
