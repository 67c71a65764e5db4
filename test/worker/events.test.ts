import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { enqueueWebhookEvent } from '../../src/domain/event.ts'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann', name: 'Ann Example', email: 'ann@example.org' })
})
beforeEach(async () => {
  const { webhooks } = (await ann.get('/api/v2/webhooks/')).body
  for (const { id } of webhooks) await ann.delete(`/api/v3/webhooks/${id}/`)
})

const listen = async (event: string, path = '/hook', narrowed: object = {}) => {
  const json = { subscription_url: receiver.url(path), event, ...narrowed }
  const reply = await ann.post('/api/v3/webhooks/', { json })
  expect(reply.status).toBe(201)
  return reply.body
}
const only = async (path = '/hook') => {
  await world.runJobs()
  expect(receiver.received(path)).toHaveLength(1)
  return receiver.received(path)[0]!
}
const complete = (survey: number, form: Record<string, string> = { q1: '0' }) =>
  ann.post(`/api/v2/surveys/${survey}/responses/`, { form })

describe('survey_create', () => {
  test('a new survey is created: survey_creator_name, survey_name, survey_creator_email, survey_url', async () => {
    await listen('survey_create')
    const { id } = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea & biscuits' } })).body
    const received = await only()
    expect(received.method).toBe('POST')
    expect(received.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(received.form).toEqual([
      ['survey_creator_name', 'Ann Example'],
      ['survey_name', 'Tea & biscuits'],
      ['survey_creator_email', 'ann@example.org'],
      ['survey_url', `${world.base}/surveys/ann/tea-biscuits/`],
    ])
    await ann.post(`/api/v3/surveys/${id}/duplicate/`, { form: { name: 'Copy' } })
    await world.runJobs()
    expect(receiver.received('/hook')[1]!.form).toContainEqual(['survey_name', 'Copy'])
  })

  test('a refused survey is no event', async () => {
    await listen('survey_create')
    expect((await ann.post('/api/v3/surveys/', { form: { name: '' } })).status).toBe(400)
    await world.runJobs()
    expect(receiver.received()).toEqual([])
  })

  test('a rolled back write leaves no event', async () => {
    await listen('survey_create')
    const change = world.em().transactional(async (em) => {
      const survey = { name: 'Gone', slug: 'gone', username: 'ann' }
      await enqueueWebhookEvent({ ...world.context(), em, actor: ann.actor }, { type: 'survey_create', survey })
      throw new Error('changed my mind')
    })
    await expect(change).rejects.toThrow('changed my mind')
    await world.runJobs()
    expect(receiver.received()).toEqual([])
  })

  test('what happened to others is no event', async () => {
    await listen('survey_create')
    await makeSurvey(await world.person())
    await world.runJobs()
    expect(receiver.received()).toEqual([])
  })
})

describe('response_complete', () => {
  test('all specified fields in their order and form, then ours, then answers as label text', async () => {
    const survey = await makeSurvey(ann)
    await listen('response_complete')
    const { id, key } = (await complete(survey, { q1: '1', q3: 'Because', q4: 'true', grid_0: '1' })).body
    const { form } = await only()
    expect(form.slice(0, 13)).toEqual([
      ['score', expect.stringMatching(/^\d+$/)],
      ['invite_email', 'N/A'],
      ['invite_name', 'N/A'],
      ['language', expect.any(String)],
      ['referrer', ''],
      ['created_at', '15/01/2026 12:00PM'],
      ['survey_name', 'Every shape'],
      ['updated_at', '15/01/2026 12:00PM'],
      ['survey_url', `${world.base}/surveys/ann/every-shape/`],
      ['id', String(id)],
      ['_id', String(id)],
      ['_created_at', '2026-01-15T12:00:00'],
      ['_key', key],
    ])
    expect(form.slice(13)).toEqual([
      ['q1', 'No'],
      ['q3', 'Because'],
      ['q4', 'Yes'],
      ['grid_0', 'Bad'],
    ])
  })

  test.each([
    ['2026-03-09T00:05:00Z', '09/03/2026 12:05AM'],
    ['2026-03-09T09:07:59Z', '09/03/2026 09:07AM'],
    ['2026-03-09T12:00:00Z', '09/03/2026 12:00PM'],
    ['2026-12-31T23:59:00Z', '31/12/2026 11:59PM'],
  ])('a response of %s was created at %s', async (time, written) => {
    const survey = await makeSurvey(ann)
    await listen('response_complete')
    const before = world.now
    world.now = new Date(time)
    await complete(survey)
    const { form } = await only()
    world.now = before
    expect(Object.fromEntries(form)).toMatchObject({ created_at: written, updated_at: written })
  })

  test('an incomplete response is none; completing it is one; saving it again is none', async () => {
    const survey = await makeSurvey(ann)
    await listen('response_complete')
    const { id } = (await ann.post(`/api/v3/surveys/${survey}/responses/`, { form: { q1: '0' } })).body
    await world.runJobs()
    expect(receiver.received()).toEqual([])
    const put = (form: Record<string, string>) => ann.put(`/api/v3/surveys/${survey}/responses/${id}/`, { form })
    expect((await put({ _completed: '1', q3: 'Then' })).status).toBe(202)
    const { form } = await only()
    expect(form).toEqual(
      expect.arrayContaining([
        ['id', String(id)],
        ['q1', 'Yes'],
        ['q3', 'Then'],
      ]),
    )
    expect(form.map(([name]) => name).slice(0, 13)).toEqual(
      'score invite_email invite_name language referrer created_at survey_name updated_at survey_url id _id _created_at _key'.split(
        ' ',
      ),
    )
    await put({ q3: 'Again' })
    await world.runJobs()
    expect(receiver.received()).toHaveLength(1)
  })

  test('the event outlives the response, the survey, and a change of its questions', async () => {
    const [deleted, changed] = [await makeSurvey(ann), await makeSurvey(ann)]
    await listen('response_complete')
    await complete(deleted, { q1: '1', q3: 'Gone' })
    await complete(changed, { q1: '1', q3: 'Changed' })
    await ann.delete(`/api/v3/surveys/${deleted}/`)
    await ann.put(`/api/v3/surveys/${changed}/structure/`, { json: { title: 'Other', form: [] } })
    await world.runJobs()
    const told = receiver.received().map(({ form }) => Object.fromEntries(form))
    expect(told.find(({ q3 }) => q3 === 'Gone')).toMatchObject({ survey_name: 'Every shape', q1: '1' })
    expect(told.find(({ q3 }) => q3 === 'Changed')).toMatchObject({ survey_name: 'Every shape', q1: 'No' })
  })

  test('account-wide unless survey is given; collector narrows further', async () => {
    const [one, two] = [await makeSurvey(ann), await makeSurvey(ann)]
    const { id: collector } = (await ann.post(`/api/v3/surveys/${one}/collectors/`, { form: { name: 'Mail' } })).body
    await listen('response_complete', '/all')
    await listen('response_complete', '/one', { survey: one })
    await listen('response_complete', '/mail', { survey: one, collector })
    await listen('contact_create', '/other')
    const forms: Record<string, string>[] = [{ q1: '0' }, { q1: '1', _collector: String(collector) }]
    for (const form of forms) expect((await complete(one, form)).status).toBe(200)
    await complete(two)
    await world.runJobs()
    expect(['/all', '/one', '/mail', '/other'].map((path) => receiver.received(path).length)).toEqual([3, 2, 1, 0])
  })

  test('a hundred at the same moment: each once', async () => {
    const survey = await makeSurvey(ann)
    await listen('response_complete')
    const replies = await Promise.all(Array.from({ length: 100 }, () => complete(survey)))
    await world.runJobs()
    const told = receiver.received().map(({ form }) => Object.fromEntries(form).id)
    expect(told.sort()).toEqual(replies.map(({ body }) => String(body.id)).sort())
    expect(new Set(receiver.received().map(({ headers }) => headers['webhook-id'])).size).toBe(100)
  })
})

describe('report_create', () => {
  test('a new report is created: report_url, report_creator_name, report_creator_email, survey_url; survey narrows', async () => {
    const [survey, other] = [await makeSurvey(ann), await makeSurvey(ann)]
    await listen('report_create', '/all')
    await listen('report_create', '/one', { survey })
    await listen('report_create', '/other', { survey: other })
    const { deploy_url } = (await ann.get(`/api/v3/surveys/${survey}/`)).body
    const report = (await ann.post(`/api/v3/surveys/${survey}/reports/`, { form: { title: 'First look' } })).body
    expect((await only('/all')).form).toEqual([
      ['report_url', report.report_url],
      ['report_creator_name', 'Ann Example'],
      ['report_creator_email', 'ann@example.org'],
      ['survey_url', deploy_url],
    ])
    expect(receiver.received('/one')).toHaveLength(1)
    expect(receiver.received('/other')).toEqual([])
  })
})

describe('contact_create', () => {
  test('a new contact is created: name, email; a changed one is no event', async () => {
    await listen('contact_create')
    const form = { name: 'Bob', email: 'b@example.org' }
    const contact = (await ann.post('/api/v3/contacts/', { form })).body
    expect((await only()).form).toEqual([
      ['name', 'Bob'],
      ['email', 'b@example.org'],
    ])
    await ann.put(`/api/v3/contacts/${contact.id}/`, { form: { name: 'Robert', email: 'b@example.org' } })
    await world.runJobs()
    expect(receiver.received()).toHaveLength(1)
  })

  test('an import tells of each contact it creates, and of none it updates', async () => {
    await ann.post('/api/v3/contacts/', { form: { name: 'Old', email: 'old@example.org' } })
    await listen('contact_create')
    const body = 'name,email,city\nOld,old@example.org,Bonn\nNew,new@example.org,Rome\nFresh,fresh@example.org,Oslo\n'
    const reply = await ann.post('/api/v3/contacts/csv/', { body, headers: { 'content-type': 'text/csv' } })
    expect(reply.body).toMatchObject({ created: 2, updated: 1 })
    await world.runJobs()
    const told = receiver.received().map(({ form }) => Object.fromEntries(form).name)
    expect(told.sort()).toEqual(['Fresh', 'New'])
  })
})
