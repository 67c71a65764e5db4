import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { enqueue } from '../../../src/domain/jobs.ts'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { signInAs } from '../../support/http-browser.ts'
import { type Receiver, useReceiver } from '../../support/receiver.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver: Receiver = useReceiver()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const onePage = { title: 'Tea', form: [pageOf(text('first'))] }
const twoPages = { title: 'Tea', form: [pageOf(text('first')), pageOf(text('second'))] }
const setTime = (time: string) => {
  world.now = new Date(`2026-01-15T${time}Z`)
}
/** Returns the times in a text that are not full hours. */
const preciseTimesIn = (text: string) =>
  text.match(/\d\d:(?!00)\d\d:\d\d|\d\d:\d\d:(?!00)\d\d|:\d\d\.(?!000)\d{3}/g) ?? []

/** Runs the hourly job that marks used invitations. */
async function markUsedInvites() {
  await enqueue(world.context(), 'mark-used-invites', {})
  await world.runJobs()
}

/** Creates a survey with these settings, and an invitation for each address. */
async function createInvitedSurvey(settings: object, emails: string[], structure: object = onePage) {
  const { survey, path } = await addSurvey(ann, structure)
  const api = `/api/v3/surveys/${survey.id}/`
  expect((await ann.put(`${api}settings/`, { json: settings })).status).toBe(200)
  const { body } = await ann.post(`${api}invite_codes/`, { form: { count: emails.length } })
  const invites: { code: string; invite_url: string }[] = body.results
  const db = world.em().getKysely<Tables>()
  for (const [index, email] of emails.entries())
    await db.updateTable('invite').set({ email }).where('code', '=', invites[index]!.code).execute()
  const answer = async (index: number, first: string) =>
    submitForm(world.anonymous, await world.anonymous.get(invites[index]!.invite_url), { first })
  return { survey, path, api, invites, answer, db }
}

describe('responses to an anonymous survey [spec 13.3]', () => {
  test('are shown without exact times, completion time and the time when the invitation was opened', async () => {
    setTime('12:03:04.567')
    const { survey, api, invites, db } = await createInvitedSurvey(
      { anonymous: true },
      ['cid@example.org', 'bo@example.org'],
      twoPages,
    )
    await ann.post('/api/v3/webhooks/', {
      json: { event: 'response_complete', subscription_url: receiver.url('/completed'), survey: survey.id },
    })
    const first = await world.anonymous.get(invites[0]!.invite_url)
    setTime('12:04:05.678')
    const second = await world.anonymous.get(
      (await submitForm(world.anonymous, first, { first: 'a' })).headers.get('location')!,
    )
    setTime('13:05:06.789')
    await submitForm(world.anonymous, second, { second: 'b' })
    await world.runJobs()

    const [stored] = await storedResponses(world, survey.id)
    expect(stored).toMatchObject({ completed: 1, completion_time: null })
    const { body } = await ann.get(`${api}responses/${stored!.id}/`)
    expect(body).toMatchObject({ _created_at: '2026-01-15T12:00:00', _updated_at: '2026-01-15T13:00:00' })
    expect(body._completion_time).toBeNull()
    for (const path of [`${api}responses/`, `${api}csv/`, `${api}responses/changes/`])
      expect({ path, times: preciseTimesIn((await ann.get(path)).text) }).toEqual({ path, times: [] })
    const [delivery] = receiver.received('/completed')
    expect(preciseTimesIn(decodeURIComponent(delivery!.body))).toEqual([])
    const rows = await sql`select r.created_at, r.updated_at, c.at, d.created_at as recorded, i.viewed_at
      from response r join response_change c on c.survey_id = r.survey_id join webhook_delivery d on true
      join invite i on i.survey_id = r.survey_id where r.survey_id = ${survey.id}`.execute(db)
    expect(preciseTimesIn(JSON.stringify(rows.rows))).toEqual([])
    const invitations = (await ann.get(`${api}invites/`)).body.results
    expect(invitations).toMatchObject([{ viewed_at: null }, { viewed_at: null }])
  })

  test('cannot be related to an invitation by transaction ID, neither before nor after the invitation is marked as used', async () => {
    setTime('14:01:00')
    const { survey, answer, db, api } = await createInvitedSurvey({ anonymous: true }, [
      'a@example.org',
      'b@example.org',
      'c@example.org',
    ])
    for (const index of [2, 0, 1]) await answer(index, `by ${index}`)
    const relatedRows = () =>
      sql`select i.email, r.answers from invite i join response r on i.xmin = r.xmin
        where i.survey_id = ${survey.id} and r.survey_id = ${survey.id}`.execute(db)
    expect((await relatedRows()).rows).toEqual([])
    const [used] = await db.selectFrom('used_invite').selectAll().where('survey_id', '=', survey.id).execute()
    expect(JSON.stringify(used)).not.toContain('example.org')
    setTime('15:00:00')
    await markUsedInvites()
    expect((await relatedRows()).rows).toEqual([])
    expect(await db.selectFrom('used_invite').selectAll().where('survey_id', '=', survey.id).execute()).toEqual([])
    const transactions =
      await sql`select distinct xmin::text, used_on from invite where survey_id = ${survey.id}`.execute(db)
    expect(transactions.rows).toHaveLength(1)
    expect((await ann.get(`${api}invites/`)).body.results.map(({ status }: { status: string }) => status)).toEqual([
      'Completed',
      'Completed',
      'Completed',
    ])
  })

  test('are complete only once per invitation, also while the job marks the invitation as used', async () => {
    setTime('16:10:00')
    const { survey, answer } = await createInvitedSurvey({ anonymous: true }, ['a@example.org'])
    const replies = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => answer(0, `${index}`)),
      markUsedInvites().then(() => ({ status: 303 })),
      ...Array.from({ length: 6 }, (_, index) => answer(0, `${index + 6}`)),
    ])
    expect(replies.map(({ status }) => status)).toEqual(Array(13).fill(303))
    const complete = async () => (await storedResponses(world, survey.id)).filter(({ completed }) => completed === 1)
    expect(await complete()).toHaveLength(1)
    setTime('17:00:00')
    await markUsedInvites()
    await answer(0, 'after the job')
    expect(await complete()).toHaveLength(1)
  })

  test('are begun with a form that contains neither the time nor the page from which the respondent came', async () => {
    const { survey, path } = await createInvitedSurvey({ anonymous: true }, ['a@example.org'], {
      title: 'Tea',
      form: [pageOf(text('first', { required: true }))],
    })
    const headers = { referer: 'https://intranet.example/ann' }
    const first = await world.anonymous.get(path, { headers })
    const draft = await submitForm(world.anonymous, first, { first: '' })
    for (const page of [first, draft]) {
      expect(page.text).not.toMatch(/name="_started"|name="_referrer"|intranet/)
      expect(page.text).toContain('Text first')
    }
    expect((await submitForm(world.anonymous, draft, { first: 'a' })).status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, referrer: null }])
  })

  test('are imported without exact times', async () => {
    const { survey, api } = await createInvitedSurvey({ anonymous: true }, ['a@example.org'])
    const csv = '_created_at,_completion_time,_invite_email,first\n2026-01-02 03:04:05,77,zoe@example.org,x\n'
    expect(await ann.act((context) => importResponses(context, survey.id, csv))).toMatchObject({ imported: 1 })
    expect((await ann.get(`${api}responses/`)).body.results).toMatchObject([
      { _created_at: '2026-01-02T03:00:00', _completion_time: null },
    ])
  })
})

describe('turning anonymity on [spec 13.3]', () => {
  /** Creates a survey with two invitations and a response to the first one. */
  async function createAnsweredSurvey(settings: object = {}) {
    setTime('18:12:13.141')
    const invited = await createInvitedSurvey(settings, ['a@example.org', 'b@example.org'])
    await ann.post('/api/v3/webhooks/', {
      json: {
        event: 'response_complete',
        subscription_url: receiver.url('/completed-later'),
        survey: invited.survey.id,
      },
    })
    await invited.answer(0, 'yes')
    return invited
  }
  const ANONYMIZED = {
    username: '',
    ip_address: '',
    referrer: null,
    get_variables: null,
    invite_code: null,
    invite_email: null,
  }

  test('erases the identifying data of responses, and adds each response to the change feed', async () => {
    const { survey, api, answer, db } = await createAnsweredSurvey()
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { invite_email: 'a@example.org', ip_address: '127.0.0.1' },
    ])
    const feed = (await ann.get(`${api}responses/changes/`)).body
    expect((await ann.put(`${api}settings/`, { json: { anonymous: true } })).status).toBe(200)
    const [stored] = await storedResponses(world, survey.id)
    expect(stored).toMatchObject({ ...ANONYMIZED, invite_name: null, completion_time: null, answers: { first: 'yes' } })
    expect(preciseTimesIn(JSON.stringify(stored))).toEqual([])
    const { body } = await ann.get(`${api}responses/changes/?since=${feed.next_cursor}`)
    expect(body.results).toMatchObject([{ kind: 'edited', response_id: stored!.id }])
    const deliveries = await db.selectFrom('webhook_delivery').select(['facts', 'body']).execute()
    expect(JSON.stringify(deliveries)).not.toContain('a@example.org')
    // A used invitation stays used.
    for (const index of [0, 1]) await answer(index, `again ${index}`)
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { first: 'yes' } },
      { completed: 0, answers: { first: 'again 0' } },
      { completed: 1, answers: { first: 'again 1' } },
    ])
    await world.runJobs()
    expect(receiver.received('/completed-later').at(-1)!.form).toContainEqual(['invite_email', 'N/A'])
  })

  test('deletes the messages with exact times that webhooks have received, in both formats', async () => {
    const { survey, api, answer, db } = await createAnsweredSurvey()
    for (const format of ['form', 'json']) {
      const subscription = { event: 'response_complete', subscription_url: receiver.url(`/${format}`), format }
      const json = { ...subscription, survey: survey.id }
      expect((await ann.post('/api/v3/webhooks/', { json })).status).toBe(201)
    }
    await answer(1, 'yes')
    await world.runJobs()
    const stored = async () => {
      const { rows } = await sql`select d.body from webhook_delivery d join webhook w on w.id = d.webhook_id
        where w.survey_id = ${survey.id} and d.body ~ 'b(@|%40)example.org' order by w.format`.execute(db)
      return rows
    }
    expect(await stored()).toEqual([
      { body: expect.stringContaining('invite_email=b%40example.org&') },
      { body: expect.stringContaining('"invite_email":"b@example.org"') },
    ])
    expect((await ann.put(`${api}settings/`, { json: { anonymous: true } })).status).toBe(200)
    expect(await stored()).toEqual([])
  })

  test('applies to all collectors, and no response can then be moved to a collector that is not anonymous', async () => {
    const { survey, api } = await createAnsweredSurvey()
    const { body: open } = await ann.post('/api/v3/collectors/', {
      json: { name: 'Open', survey: survey.id, settings: { anonymous: false } },
    })
    const { body: hidden } = await ann.post('/api/v3/collectors/', {
      json: { name: 'Hidden', survey: survey.id, settings: { anonymous: true } },
    })
    const [{ _id: id }] = (await ann.get(`${api}responses/`)).body.results as [{ _id: number }]
    // A response loses its identifying data when it is moved to an anonymous collector.
    expect((await ann.put(`${api}responses/${id}/`, { json: { _collector: hidden.id } })).status).toBe(202)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ ...ANONYMIZED, completion_time: null }])
    expect(await ann.put(`${api}responses/${id}/`, { json: { _collector: open.id } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: '_collector' }] },
    })
    await ann.put(`${api}settings/`, { json: { anonymous: true } })
    expect((await ann.get(open.collector_uri)).body.settings).toEqual({})
    for (const reply of [
      await ann.put(open.collector_uri, { json: { settings: { anonymous: false } } }),
      await ann.post('/api/v3/collectors/', {
        json: { name: 'Second', survey: survey.id, settings: { anonymous: false } },
      }),
    ])
      expect(reply).toMatchObject({ status: 400, body: { errors: [{ field: 'settings.anonymous' }] } })
  })

  test('on a collector erases the identifying data of its responses only', async () => {
    const { survey, db } = await createAnsweredSurvey()
    const { body } = await ann.get(`/api/v3/surveys/${survey.id}/responses/`)
    const collector = body.results[0]._collector
    expect(
      (await ann.put(`/api/v3/collectors/${collector}/`, { json: { settings: { anonymous: true } } })).status,
    ).toBe(200)
    expect(await storedResponses(world, survey.id)).toMatchObject([ANONYMIZED])
    expect(
      await db.selectFrom('invite').select('used_on').where('survey_id', '=', survey.id).orderBy('id').execute(),
    ).toEqual([{ used_on: expect.anything() }, { used_on: null }])
  })

  test('on the settings page requires a confirmation', async () => {
    const { survey } = await createAnsweredSurvey()
    const browser = await signInAs(ann)
    const root = `/account/surveys/${survey.id}/edit/settings/`
    const form = { version: '1', name: 'Tea', 'title.en': 'Tea', one_per_invite: 'on', anonymous: 'on' }
    await browser.get(root)
    const confirmation = await browser.post(root, form)
    expect(confirmation.status).toBe(200)
    expect(confirmation.text).toContain('Make this survey anonymous?')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ invite_email: 'a@example.org' }])
    expect((await browser.post(root, { ...form, confirmed: 'anonymous' })).status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([ANONYMIZED])
  })
})
