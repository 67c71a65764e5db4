import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann', name: 'Ann Example' })
  bob = await world.person({ username: 'bob' })
})

const create = async (caller: Person, form: Record<string, string | number>): Promise<Reply['body']> =>
  (await caller.post('/api/v3/surveys/', { form })).body

describe('createSurvey', () => {
  test('creates a survey from a form with a name, and returns all its properties, as getSurvey does [spec 5.1]', async () => {
    const reply = await ann.post('/api/v3/surveys/', { form: { name: 'Customer feedback' } })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toBeNull()
    const uri = `${world.base}/api/v3/surveys/${reply.body.id}/`
    expect(reply.body).toEqual({
      id: expect.any(Number),
      name: 'Customer feedback',
      number_of_responses: 0,
      live: 1,
      slug: 'customer-feedback',
      creator: `${world.base}/api/v3/users/${ann.actor.id}/`,
      created_at: '2026-01-15T12:00:00.000Z',
      updated_at: '2026-01-15T12:00:00.000Z',
      deploy_url: `${world.base}/surveys/ann/customer-feedback/`,
      short_url: expect.stringMatching(/\/s\/[0-9a-z]{12}$/),
      survey_uri: uri,
      duplicate_uri: `${uri}duplicate/`,
      send_invite_uri: `${uri}invites/`,
      responses_uri: `${uri}responses/`,
      survey_settings_uri: `${uri}settings/`,
      survey_structure_uri: `${uri}structure/`,
      collectors_uri: `${uri}collectors/`,
      invite_codes_uri: `${uri}invite_codes/`,
      groups_uri: `${uri}groups/`,
      reports_uri: `${uri}reports/`,
      csv_uri: `${uri}csv/`,
      tags_uri: `${uri}tags/`,
      versions_uri: `${uri}versions/`,
      questions_uri: `${uri}questions/`,
      languages_uri: `${uri}languages/`,
    })
    expect((await ann.get(uri)).body).toEqual(reply.body)
  })

  test('accepts live as 0 or 1 in the form [spec 5.3, 5.4]', async () => {
    expect(await create(ann, { name: 'Closed', live: 0 })).toMatchObject({ live: 0 })
    expect(await create(ann, { name: 'Open', live: 1 })).toMatchObject({ live: 1 })
    const reply = await ann.post('/api/v3/surveys/', { form: { name: 'Odd', live: 2 } })
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toMatchObject([{ field: 'live', message: expect.any(String) }])
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a blank name', { name: '   ' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
  ])('returns 400 with the name of the field for %s [spec 5.4]', async (_, form) => {
    const reply = await ann.post('/api/v3/surveys/', { form })
    expect(reply.status).toBe(400)
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(reply.body).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field: 'name' }] })
  })

  test('accepts JSON, form and multipart with the same meaning', async () => {
    for (const sent of [
      { json: { name: 'Thrice', live: 0, more: 1 } },
      { form: { name: 'Thrice', live: 0 } },
      { multipart: { name: 'Thrice', live: '0' } },
    ])
      expect(await ann.post('/api/v3/surveys/', sent)).toMatchObject({ status: 201, body: { name: 'Thrice', live: 0 } })
  })

  test('creates a valid deploy URL from a name in any script', async () => {
    const survey = await create(ann, { name: 'Отзывы & café “№5”' })
    expect(survey.name).toBe('Отзывы & café “№5”')
    expect(new URL(survey.deploy_url).href).toBe(survey.deploy_url)
  })

  test('copies the structure of the given template', async () => {
    const structure = {
      title: 'From a template',
      form: [{ children: [{ idname: 'text-response', id: 'q1', title: 'Why?' }] }],
    }
    const template = await ann.post('/api/v3/templates/', { json: { name: 'T', structure } })
    const survey = await create(ann, { name: 'Made', template: template.body.id })
    expect(survey.name).toBe('Made')
    const { body } = await ann.get(survey.survey_structure_uri)
    expect(body.form[0].children[0]).toMatchObject({ id: 'q1', title: { en: 'Why?' } })
    expect(await bob.post('/api/v3/surveys/', { form: { name: 'X', template: template.body.id } })).toMatchObject({
      status: 404,
      body: { code: 'template_not_found' },
    })
  })

  test('assigns different slugs to surveys of the same name, also concurrently', async () => {
    const created = await Promise.all(Array.from({ length: 12 }, () => create(bob, { name: 'New survey' })))
    const slugs = created.map(({ slug }) => slug).sort()
    expect(slugs).toEqual(['new-survey', ...Array.from({ length: 11 }, (_, index) => `new-survey-${index + 1}`)].sort())
  })
})

describe('listSurveys', () => {
  const names = (reply: Reply): string[] => reply.body.results.map(({ name }: { name: string }) => name)
  let carl: Person
  beforeAll(async () => {
    carl = await world.person({ username: 'carl' })
    for (let index = 1; index <= 12; index++) await create(carl, { name: `Survey ${index}` })
  })

  test('returns the paged envelope with count, next, previous and results [spec 5.4]', async () => {
    const first = await carl.get('/api/v3/surveys/')
    expect(first.body).toMatchObject({ count: 12, previous: null, next: `${world.base}/api/v3/surveys/?page=2` })
    expect(names(first)).toEqual(Array.from({ length: 10 }, (_, index) => `Survey ${index + 1}`))
    expect(first.headers.get('link')).toContain(`<${first.body.next}>; rel="next"`)
    const second = await carl.get(first.body.next)
    expect(second.body).toMatchObject({ count: 12, next: null })
    expect(names(second)).toEqual(['Survey 11', 'Survey 12'])
    expect(names(await carl.get(second.body.previous))).toEqual(names(first))
    expect(names(await carl.get('/api/v3/surveys/?page=0'))).toEqual(names(first))
    expect(names(await carl.get('/api/v3/surveys/?page_size=11'))).toHaveLength(11)
  })

  test('searches names in any case and reads % and _ literally [spec 5.4]', async () => {
    expect(names(await carl.get('/api/v3/surveys/?search=RVEY%2012'))).toEqual(['Survey 12'])
    expect(names(await carl.get('/api/v3/surveys/?search=%25'))).toEqual([])
    expect(names(await carl.get('/api/v3/surveys/?search=_'))).toEqual([])
    const found = await carl.get('/api/v3/surveys/?search=survey&page_size=5')
    expect(found.body.next).toBe(`${world.base}/api/v3/surveys/?search=survey&page_size=5&page=2`)
  })

  test('returns the surveys with the tags [spec 5.4]', async () => {
    const { id } = await create(carl, { name: 'Tagged' })
    await carl.post(`/api/v3/surveys/${id}/tags/`, { form: { name: 'quarterly' } })
    expect(names(await carl.get('/api/v3/surveys/?tags=quarterly'))).toEqual(['Tagged'])
    expect(names(await carl.get('/api/v3/surveys/?tags=quarter'))).toEqual([])
    await carl.delete(`/api/v3/surveys/${id}/`)
  })

  test('returns no surveys for an unknown group [spec 5.4]', async () => {
    expect((await carl.get('/api/v3/surveys/?group=Marketing')).body).toMatchObject({ count: 0, results: [] })
    expect((await carl.get('/api/v3/surveys/?group=7')).body).toMatchObject({ count: 0, results: [] })
  })

  test('returns no surveys of another account', async () => {
    expect(names(await bob.get('/api/v3/surveys/?page_size=100'))).not.toContain('Survey 1')
  })
})

describe('updateSurvey', () => {
  test('changes the name and updated_at but not the slug [spec 1.4, 5.4]', async () => {
    const survey = await create(ann, { name: 'Before' })
    world.now = new Date('2026-01-15T13:00:00Z')
    const reply = await ann.put(survey.survey_uri, { form: { name: ' After ' } })
    expect(reply).toMatchObject({
      status: 200,
      body: { name: 'After', slug: 'before', updated_at: '2026-01-15T13:00:00.000Z' },
    })
    expect(reply.body).toMatchObject({ created_at: survey.created_at, deploy_url: survey.deploy_url })
  })

  test('closes with live=0 and opens with live=1, in every encoding [spec 5.3, 5.4]', async () => {
    const { survey_uri: uri } = await create(ann, { name: 'Switch' })
    expect((await ann.put(uri, { form: { live: 0 } })).body.live).toBe(0)
    expect((await ann.put(uri, { json: { live: 1 } })).body.live).toBe(1)
    expect((await ann.put(uri, { multipart: { live: '0' } })).body.live).toBe(0)
    expect((await ann.get(uri)).body.live).toBe(0)
  })

  test('accepts an empty change', async () => {
    const survey = await create(ann, { name: 'Still' })
    expect(await ann.put(survey.survey_uri)).toMatchObject({ status: 200, body: survey })
  })

  test('succeeds for many concurrent requests', async () => {
    const { survey_uri: uri } = await create(ann, { name: 'Busy' })
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => ann.put(uri, { form: { name: `Busy ${index}` } })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
  })
})

describe('duplicateSurvey', () => {
  test('copies structure, settings, status, reports and tags, but no responses', async () => {
    const structure = {
      title: 'Original',
      form: [{ children: [{ idname: 'text-response', id: 'q1', title: 'Why?' }] }],
    }
    const uri = `/api/v3/surveys/${await makeSurvey(ann, structure)}/`
    await ann.post(`${uri}tags/`, { form: { name: 'quarterly' } })
    await ann.post(`${uri}responses/`, { json: { q1: 'x' } })
    await ann.post(`${uri}reports/`, { json: { title: 'Weekly' } })
    await ann.put(`${uri}settings/`, { json: { thank_you_message: 'Bye' } })
    await ann.put(uri, { form: { live: 0 } })
    const copy = await ann.post(`${uri}duplicate/`, { form: { name: 'Copy' } })
    expect(copy).toMatchObject({ status: 201, body: { name: 'Copy', slug: 'copy', number_of_responses: 0, live: 0 } })
    expect((await ann.get(copy.body.tags_uri)).body.results).toEqual([{ name: 'quarterly' }])
    expect((await ann.get(`${uri}structure/`)).text).toBe((await ann.get(copy.body.survey_structure_uri)).text)
    expect((await ann.get(copy.body.survey_settings_uri)).body).toMatchObject({ thank_you_message: 'Bye' })
    expect((await ann.get(`${copy.body.survey_uri}reports/`)).body.results).toMatchObject([{ title: 'Weekly' }])
  })

  test('names the copy after the original by default', async () => {
    const { duplicate_uri: uri } = await create(ann, { name: 'x'.repeat(255) })
    const reply = await ann.post(uri)
    expect(reply.status).toBe(201)
    expect(reply.body.name).toBe(`${'x'.repeat(248)} (copy)`)
  })
})

describe('deleteSurvey', () => {
  test('returns the JSON string "OK", after which the survey is not found', async () => {
    const { survey_uri: uri } = await create(ann, { name: 'Gone' })
    const reply = await ann.delete(uri)
    expect(reply).toMatchObject({ status: 200, text: '"OK"' })
    expect(await ann.get(uri)).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
    expect((await ann.delete(uri)).status).toBe(404)
  })
})
