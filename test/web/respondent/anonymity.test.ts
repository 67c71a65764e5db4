import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { enqueue } from '../../../src/domain/enqueue.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { Visitor } from '../../support/http-browser.ts'
import { type Receiver, useReceiver } from '../../support/receiver.ts'
import { pageOf, responsesTo, sendForm, surveyOf, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver: Receiver = useReceiver()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const onePage = { title: 'Tea', form: [pageOf(text('first'))] }
const twoPages = { title: 'Tea', form: [pageOf(text('first')), pageOf(text('second'))] }
const at = (time: string) => {
  world.now = new Date(`2026-01-15T${time}Z`)
}
/** Times within an answer that are finer than an hour. */
const finer = (shown: string) => shown.match(/\d\d:(?!00)\d\d:\d\d|\d\d:\d\d:(?!00)\d\d|:\d\d\.(?!000)\d{3}/g) ?? []

/** Does what the worker does once an hour. */
async function markUsed() {
  await enqueue(world.context(), 'mark-used-invites', {})
  await world.runJobs()
}

/** A survey with an invited person for each address, and its settings by the API. */
async function inviting(settings: object, emails: string[], structure: object = onePage) {
  const { survey, path } = await surveyOf(world, ann, structure)
  const api = `/api/v3/surveys/${survey.id}/`
  expect((await ann.put(`${api}settings/`, { json: settings })).status).toBe(200)
  const uri = `/api/v2/surveys/${survey.id}/invite-codes/`
  const { invites } = (await ann.post(`${uri}?count=${emails.length}`)).body as {
    invites: { code: string; invite_url: string }[]
  }
  const db = world.em().getKysely<Tables>()
  for (const [index, email] of emails.entries())
    await db.updateTable('invite').set({ email }).where('code', '=', invites[index]!.code).execute()
  const answer = async (index: number, first: string, from = world.anonymous) =>
    sendForm(from, await from.get(invites[index]!.invite_url), { first })
  return { survey, path, api, invites, answer, db }
}

describe('responses to an anonymous survey', () => {
  test('no reading tells a time finer than an hour, how long it took, or when an invitation was opened', async () => {
    at('12:03:04.567')
    const { survey, api, invites, db } = await inviting(
      { anonymous: true },
      ['cid@example.org', 'bo@example.org'],
      twoPages,
    )
    await ann.post('/api/v3/webhooks/', {
      json: { event: 'response_complete', subscription_url: receiver.url('/told'), survey: survey.id },
    })
    const first = await world.anonymous.get(invites[0]!.invite_url)
    at('12:04:05.678')
    const second = await world.anonymous.get(
      (await sendForm(world.anonymous, first, { first: 'a' })).headers.get('location')!,
    )
    at('13:05:06.789')
    await sendForm(world.anonymous, second, { second: 'b' })
    await world.runJobs()

    const [stored] = await responsesTo(world, survey.id)
    expect(stored).toMatchObject({ completed: 1, completion_time: null })
    const { body } = await ann.get(`${api}responses/${stored!.id}/`)
    expect(body).toMatchObject({ _created_at: '2026-01-15T12:00:00', _updated_at: '2026-01-15T13:00:00' })
    expect(body._completion_time).toBeNull()
    for (const path of [
      `${api}responses/`,
      `${api}csv/`,
      `${api}responses/changes/`,
      `/api/v2/surveys/${survey.id}/responses/`,
    ])
      expect({ path, times: finer((await ann.get(path)).text) }).toEqual({ path, times: [] })
    const [told] = receiver.received('/told')
    expect(finer(decodeURIComponent(told!.body))).toEqual([])
    const rows = await sql`select r.created_at, r.updated_at, c.at, d.created_at as recorded, i.viewed_at
      from response r join response_change c on c.survey_id = r.survey_id join webhook_delivery d on true
      join invite i on i.survey_id = r.survey_id where r.survey_id = ${survey.id}`.execute(db)
    expect(finer(JSON.stringify(rows.rows))).toEqual([])
    const listed = (await ann.get(`${api}invites/`)).body.results
    expect(listed).toMatchObject([{ viewed_at: null }, { viewed_at: null }])
  })

  test('no transaction number leads from an invitation to a response, before and after it is marked', async () => {
    at('14:01:00')
    const { survey, answer, db, api } = await inviting({ anonymous: true }, [
      'a@example.org',
      'b@example.org',
      'c@example.org',
    ])
    for (const index of [2, 0, 1]) await answer(index, `by ${index}`)
    const named = () =>
      sql`select i.email, r.answers from invite i join response r on i.xmin = r.xmin
        where i.survey_id = ${survey.id} and r.survey_id = ${survey.id}`.execute(db)
    expect((await named()).rows).toEqual([])
    const [used] = await db.selectFrom('used_invite').selectAll().where('survey_id', '=', survey.id).execute()
    expect(JSON.stringify(used)).not.toContain('example.org')
    at('15:00:00')
    await markUsed()
    expect((await named()).rows).toEqual([])
    expect(await db.selectFrom('used_invite').selectAll().where('survey_id', '=', survey.id).execute()).toEqual([])
    const marks = await sql`select distinct xmin::text, used_on from invite where survey_id = ${survey.id}`.execute(db)
    expect(marks.rows).toHaveLength(1)
    expect((await ann.get(`${api}invites/`)).body.results.map(({ status }: { status: string }) => status)).toEqual([
      'Completed',
      'Completed',
      'Completed',
    ])
  })

  test('an invitation brings one response, also while it is being marked', async () => {
    at('16:10:00')
    const { survey, answer, invites } = await inviting({ anonymous: true }, ['a@example.org'])
    const sent = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => answer(0, `${index}`)),
      markUsed().then(() => ({ status: 303 })),
      ...Array.from({ length: 6 }, (_, index) => answer(0, `${index + 6}`)),
    ])
    expect(sent.filter(({ status }) => status === 303)).toHaveLength(2)
    expect(await responsesTo(world, survey.id)).toHaveLength(1)
    at('17:00:00')
    await markUsed()
    expect((await world.anonymous.get(invites[0]!.invite_url)).text).toContain('has already been used')
  })

  test('an import keeps no finer time either', async () => {
    const { survey, api } = await inviting({ anonymous: true }, ['a@example.org'])
    const csv = '_created_at,_completion_time,_invite_email,first\n2026-01-02 03:04:05,77,zoe@example.org,x\n'
    const { status, text: said } = await ann.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    expect({ status, said }).toMatchObject({ status: 200 })
    expect((await ann.get(`${api}responses/`)).body.results).toMatchObject([
      { _created_at: '2026-01-02T03:00:00', _completion_time: null },
    ])
  })
})

describe('switching anonymity on', () => {
  /** A survey in which two have answered by name. */
  async function named(settings: object = {}) {
    at('18:12:13.141')
    const made = await inviting(settings, ['a@example.org', 'b@example.org'])
    await ann.post('/api/v3/webhooks/', {
      json: { event: 'response_complete', subscription_url: receiver.url('/late'), survey: made.survey.id },
    })
    await made.answer(0, 'yes')
    return made
  }
  const NOTHING = {
    username: '',
    ip_address: '',
    referrer: null,
    get_variables: null,
    invite_code: null,
    invite_email: null,
  }

  test('erases what identified those who have answered, and the feed tells of it', async () => {
    const { survey, api, invites, db } = await named()
    expect(await responsesTo(world, survey.id)).toMatchObject([
      { invite_email: 'a@example.org', ip_address: '127.0.0.1' },
    ])
    const before = (await ann.get(`${api}responses/changes/`)).body
    expect((await ann.put(`${api}settings/`, { json: { anonymous: true } })).status).toBe(200)
    const [stored] = await responsesTo(world, survey.id)
    expect(stored).toMatchObject({ ...NOTHING, invite_name: null, completion_time: null, answers: { first: 'yes' } })
    expect(finer(JSON.stringify(stored))).toEqual([])
    const { body } = await ann.get(`${api}responses/changes/?since=${before.next_cursor}`)
    expect(body.results).toMatchObject([{ kind: 'edited', response_id: stored!.id }])
    const kept = await db.selectFrom('webhook_delivery').select(['facts', 'body']).execute()
    expect(JSON.stringify(kept)).not.toContain('a@example.org')
    // Whoever has answered cannot answer twice.
    expect((await world.anonymous.get(invites[0]!.invite_url)).text).toContain('has already been used')
    expect((await world.anonymous.get(invites[1]!.invite_url)).text).toContain('Text first')
    await world.runJobs()
    expect(receiver.received('/late').at(-1)!.form).toContainEqual(['invite_email', 'N/A'])
  })

  test('no collector undoes it, and no response is moved to one that identifies', async () => {
    const { survey, api } = await named()
    const { body: open } = await ann.post('/api/v3/collectors/', {
      json: { name: 'Open', survey: survey.id, settings: { anonymous: false } },
    })
    const { body: hidden } = await ann.post('/api/v3/collectors/', {
      json: { name: 'Hidden', survey: survey.id, settings: { anonymous: true } },
    })
    const [{ _id: id }] = (await ann.get(`${api}responses/`)).body.results as [{ _id: number }]
    // From a named collector to an anonymous one: it loses who gave it.
    expect((await ann.put(`/api/v2/surveys/${survey.id}/responses/${id}/?collector=${hidden.id}`)).status).toBe(200)
    expect(await responsesTo(world, survey.id)).toMatchObject([{ ...NOTHING, completion_time: null }])
    expect(await ann.put(`/api/v2/surveys/${survey.id}/responses/${id}/?collector=${open.id}`)).toMatchObject({
      status: 400,
    })
    expect(await ann.put(`${api}responses/${id}/`, { json: { _collector: open.id } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: '_collector' }] },
    })
    await ann.put(`${api}settings/`, { json: { anonymous: true } })
    expect((await ann.get(open.collector_uri)).body.settings).toEqual({})
    for (const reply of [
      await ann.put(open.collector_uri, { json: { settings: { anonymous: false } } }),
      await ann.post('/api/v3/collectors/', {
        json: { name: 'Late', survey: survey.id, settings: { anonymous: false } },
      }),
    ])
      expect(reply).toMatchObject({ status: 400, body: { errors: [{ field: 'settings.anonymous' }] } })
  })

  test('by a collector it erases what came by this collector', async () => {
    const { survey, db } = await named()
    const { body } = await ann.get(`/api/v3/surveys/${survey.id}/responses/`)
    const collector = body.results[0]._collector
    expect(
      (await ann.put(`/api/v3/collectors/${collector}/`, { json: { settings: { anonymous: true } } })).status,
    ).toBe(200)
    expect(await responsesTo(world, survey.id)).toMatchObject([NOTHING])
    expect(
      await db.selectFrom('invite').select('used_on').where('survey_id', '=', survey.id).orderBy('id').execute(),
    ).toEqual([{ used_on: expect.anything() }, { used_on: null }])
  })

  test('the page asks first, and erases nothing until it is confirmed', async () => {
    const { survey } = await named()
    const browser = new Visitor(world.base)
    await browser.signIn(ann.actor.username, ann.password)
    const root = `/account/surveys/${survey.id}/edit/settings/`
    const form = { version: '1', name: 'Tea', 'title.en': 'Tea', one_per_invite: 'on', anonymous: 'on' }
    await browser.get(root)
    const question = await browser.post(root, form)
    expect(question.status).toBe(200)
    expect(question.text).toContain('Make this survey anonymous?')
    expect(await responsesTo(world, survey.id)).toMatchObject([{ invite_email: 'a@example.org' }])
    expect((await browser.post(root, { ...form, confirmed: 'anonymous' })).status).toBe(303)
    expect(await responsesTo(world, survey.id)).toMatchObject([NOTHING])
  })
})
