import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { enqueueWebhookEvent } from '../../src/domain/event.ts'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { eraseSurvey } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann', name: 'Ann Example', email: 'ann@example.org' })
})
beforeEach(async () => {
  for (const { webhook_uri } of (await ann.get('/api/v3/webhooks/')).body.results) await ann.delete(webhook_uri)
})

const subscribe = async (event: string, path = '/hook', scope: object = {}) => {
  const json = { subscription_url: receiver.url(path), event, ...scope }
  const reply = await ann.post('/api/v3/webhooks/', { json })
  expect(reply.status).toBe(201)
  return reply.body
}
const singleRequest = async (path = '/hook') => {
  await world.runJobs()
  expect(receiver.received(path)).toHaveLength(1)
  return receiver.received(path)[0]!
}
const complete = (survey: number, form: Record<string, string> = { q1: '0' }) =>
  ann.post(`/api/v3/surveys/${survey}/responses/`, { form: { _completed: '1', ...form } })

describe('survey_create', () => {
  test('is sent for a new survey, with survey_creator_name, survey_name, survey_creator_email and survey_url [spec 11.3]', async () => {
    await subscribe('survey_create')
    const { id } = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea & biscuits' } })).body
    const received = await singleRequest()
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

  test('is not sent for a rejected survey', async () => {
    await subscribe('survey_create')
    expect((await ann.post('/api/v3/surveys/', { form: { name: '' } })).status).toBe(400)
    await world.runJobs()
    expect(receiver.received()).toEqual([])
  })

  test('is not sent after a rollback', async () => {
    await subscribe('survey_create')
    const change = world.em().transactional(async (em) => {
      const survey = { name: 'Gone', slug: 'gone', username: 'ann' }
      await enqueueWebhookEvent({ ...world.context(), em, actor: ann.actor }, { type: 'survey_create', survey })
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    await world.runJobs()
    expect(receiver.received()).toEqual([])
  })

  test('is not sent for surveys of other accounts', async () => {
    await subscribe('survey_create')
    await makeSurvey(await world.person())
    await world.runJobs()
    expect(receiver.received()).toEqual([])
  })
})

describe('response_complete', () => {
  test('contains the specified fields in the specified order and format, then the additional fields, then the answers as labels [spec 11.3]', async () => {
    const survey = await makeSurvey(ann)
    await subscribe('response_complete')
    const { id, key } = (await complete(survey, { q1: '1', q3: 'Because', q4: 'true', grid_0: '1' })).body
    const { form } = await singleRequest()
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
  ])('formats the time %s as %s', async (time, formatted) => {
    const survey = await makeSurvey(ann)
    await subscribe('response_complete')
    const before = world.now
    world.now = new Date(time)
    await complete(survey)
    const { form } = await singleRequest()
    world.now = before
    expect(Object.fromEntries(form)).toMatchObject({ created_at: formatted, updated_at: formatted })
  })

  test('is sent when a response is completed, not when it is created incomplete or saved again', async () => {
    const survey = await makeSurvey(ann)
    await subscribe('response_complete')
    const { id } = (await ann.post(`/api/v3/surveys/${survey}/responses/`, { form: { q1: '0' } })).body
    await world.runJobs()
    expect(receiver.received()).toEqual([])
    const put = (form: Record<string, string>) => ann.put(`/api/v3/surveys/${survey}/responses/${id}/`, { form })
    expect((await put({ _completed: '1', q3: 'Then' })).status).toBe(202)
    const { form } = await singleRequest()
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

  test('is sent even if the survey or its questions were deleted in the meantime', async () => {
    const [deleted, changed] = [await makeSurvey(ann), await makeSurvey(ann)]
    await subscribe('response_complete')
    await complete(deleted, { q1: '1', q3: 'Gone' })
    await complete(changed, { q1: '1', q3: 'Changed' })
    await eraseSurvey(ann, deleted)
    await ann.put(`/api/v3/surveys/${changed}/structure/`, { json: { title: 'Other', form: [] } })
    await world.runJobs()
    const events = receiver.received().map(({ form }) => Object.fromEntries(form))
    expect(events.find(({ q3 }) => q3 === 'Gone')).toMatchObject({ survey_name: 'Every shape', q1: '1' })
    expect(events.find(({ q3 }) => q3 === 'Changed')).toMatchObject({ survey_name: 'Every shape', q1: 'No' })
  })

  test('is sent for all surveys of the account, or only for the given survey and collector [spec 11.3]', async () => {
    const [one, two] = [await makeSurvey(ann), await makeSurvey(ann)]
    const { id: collector } = (await ann.post(`/api/v3/surveys/${one}/collectors/`, { form: { name: 'Mail' } })).body
    await subscribe('response_complete', '/all')
    await subscribe('response_complete', '/one', { survey: one })
    await subscribe('response_complete', '/mail', { survey: one, collector })
    await subscribe('contact_create', '/other')
    const forms: Record<string, string>[] = [{ q1: '0' }, { q1: '1', _collector: String(collector) }]
    for (const form of forms) expect((await complete(one, form)).status).toBe(201)
    await complete(two)
    await world.runJobs()
    expect(['/all', '/one', '/mail', '/other'].map((path) => receiver.received(path).length)).toEqual([3, 2, 1, 0])
  })

  test('is sent exactly once for each of 100 concurrent responses', async () => {
    const survey = await makeSurvey(ann)
    await subscribe('response_complete')
    const replies = await Promise.all(Array.from({ length: 100 }, () => complete(survey)))
    await world.runJobs()
    const ids = receiver.received().map(({ form }) => Object.fromEntries(form).id)
    expect(ids.sort()).toEqual(replies.map(({ body }) => String(body.id)).sort())
    expect(new Set(receiver.received().map(({ headers }) => headers['webhook-id'])).size).toBe(100)
  })
})

describe('report_create', () => {
  test('is sent for a new report, with report_url, report_creator_name, report_creator_email and survey_url, only for the given survey [spec 11.3]', async () => {
    const [survey, other] = [await makeSurvey(ann), await makeSurvey(ann)]
    await subscribe('report_create', '/all')
    await subscribe('report_create', '/one', { survey })
    await subscribe('report_create', '/other', { survey: other })
    const { deploy_url } = (await ann.get(`/api/v3/surveys/${survey}/`)).body
    const report = (await ann.post(`/api/v3/surveys/${survey}/reports/`, { form: { title: 'First look' } })).body
    expect((await singleRequest('/all')).form).toEqual([
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
  test('is sent for a new contact with name and email, not for an updated contact [spec 11.3]', async () => {
    await subscribe('contact_create')
    const form = { name: 'Bob', email: 'b@example.org' }
    const contact = (await ann.post('/api/v3/contacts/', { form })).body
    expect((await singleRequest()).form).toEqual([
      ['name', 'Bob'],
      ['email', 'b@example.org'],
    ])
    await ann.put(`/api/v3/contacts/${contact.id}/`, { form: { name: 'Robert', email: 'b@example.org' } })
    await world.runJobs()
    expect(receiver.received()).toHaveLength(1)
  })

  test('is sent for each contact that an import creates, not for contacts that it updates', async () => {
    await ann.post('/api/v3/contacts/', { form: { name: 'Old', email: 'old@example.org' } })
    await subscribe('contact_create')
    const body = 'name,email,city\nOld,old@example.org,Bonn\nNew,new@example.org,Rome\nFresh,fresh@example.org,Oslo\n'
    const reply = await ann.post('/api/v3/contacts/csv/', { body, headers: { 'content-type': 'text/csv' } })
    expect(reply.body).toMatchObject({ created: 2, updated: 1 })
    await world.runJobs()
    const names = receiver.received().map(({ form }) => Object.fromEntries(form).name)
    expect(names.sort()).toEqual(['Fresh', 'New'])
  })
})
