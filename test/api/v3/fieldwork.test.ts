import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { insertContacts } from '../../support/contacts.ts'
import { createDraft, sendDraft } from '../../support/emails.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { submitForm } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(world.now.getTime() - days * DAY_MS)
const fieldwork = async (id: number, query = '') => {
  const { status, body } = await ann.get(`/api/v3/surveys/${id}/fieldwork/${query}`)
  expect(status).toBe(200)
  return body
}

/** Stores a number of complete responses on each of the days before today, the last one yesterday. */
async function respondDaily(id: number, counts: readonly number[], answers: Record<string, unknown> = {}) {
  for (const [index, count] of counts.entries())
    for (let each = 0; each < count; each += 1)
      await respond(world, id, { createdAt: daysAgo(counts.length - index), pagepath: '1,2', answers })
}

const NO_INVITATIONS = {
  invited: 0,
  accepted: 0,
  opened: 0,
  started: 0,
  complete: 0,
  terminated: 0,
  response_rate: null,
  response_rate_with_partial: null,
}

describe('getFieldwork [spec 10.6]', () => {
  test('has no rate, no pace and no closing for a survey without responses', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    expect(await fieldwork(id)).toEqual({
      survey_uri: `${world.base}/api/v3/surveys/${id}/`,
      responses: { total: 0, complete: 0, incomplete: 0, terminated: 0 },
      withdrawn: 0,
      completion_rate: null,
      median_completion_seconds: null,
      response_limit: null,
      quotas: [],
      invitations: NO_INVITATIONS,
      collectors: [
        expect.objectContaining({ is_default: true, live: 1, completion_rate: null, invitations: NO_INVITATIONS }),
      ],
      contact_lists: [],
      pages: [1, 2].map((number) => ({ number, title: {}, submitted: 0, stopped: 0 })),
      pace: null,
      closing: null,
    })
  })

  test('counts responses by collector and by page', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    const { body: other } = await ann.post(`/api/v3/surveys/${id}/collectors/`, { json: { name: 'Poster' } })
    await respond(world, id, { pagepath: '1,2' })
    await respond(world, id, { pagepath: '1', completed: 0, collectorId: other.id })
    await respond(world, id, { pagepath: '1,2', collectorId: other.id })
    await respond(world, id, { pagepath: '1', completed: 2, collectorId: other.id })
    const body = await fieldwork(id)
    expect(body).toMatchObject({
      responses: { total: 4, complete: 2, incomplete: 1, terminated: 1 },
      completion_rate: 66.7,
      collectors: [
        { is_default: true, responses: { total: 1, complete: 1, incomplete: 0, terminated: 0 }, completion_rate: 100 },
        {
          id: other.id,
          name: 'Poster',
          collector_uri: other.collector_uri,
          responses: { total: 3, complete: 1, incomplete: 1, terminated: 1 },
          completion_rate: 50,
        },
      ],
      pages: [
        { number: 1, submitted: 4, stopped: 1 },
        { number: 2, submitted: 2, stopped: 0 },
      ],
    })
  })

  test('forecasts when the response limit and each quota is reached, from the whole days before today', async () => {
    const quotas = [
      { name: 'Tea', limit: 30, action: 'terminate', when: { all: [{ question: 'a', op: 'eq', value: 'tea' }] } },
      { name: 'Rare', limit: 5, action: 'terminate', when: { all: [{ question: 'a', op: 'eq', value: 'mate' }] } },
    ]
    const id = await makeSurvey(ann, { ...TWO_PAGES, quotas }, { max_responses: 100 })
    const submit = async (a: string, days: number) => {
      const now = world.now
      world.now = daysAgo(days)
      expect((await ann.post(`/api/v3/surveys/${id}/responses/`, { json: { a, _completed: 1 } })).status).toBe(201)
      world.now = now
    }
    for (let days = 5; days >= 1; days -= 1) for (let each = 0; each < 4; each += 1) await submit('tea', days)
    await submit('mate', 1)
    for (let each = 0; each < 9; each += 1) await submit('coffee', 0)
    const { pace, closing, response_limit, quotas: progress } = await fieldwork(id)
    // Today is not part of the pace, and neither are the days before the first response.
    expect(pace).toEqual({ days: 5, complete: 21, per_day: 4.2, dispersion: 1 })
    expect(response_limit).toMatchObject({ target: 100, count: 30, left: 70, forecast: { date: '2026-02-01' } })
    expect(progress).toEqual([
      {
        ...{ name: 'Tea', action: 'terminate', target: 30, count: 20, left: 10 },
        forecast: { date: '2026-01-18', earliest: expect.any(String), latest: expect.any(String) },
      },
      { name: 'Rare', action: 'terminate', target: 5, count: 1, left: 4, forecast: null },
    ])
    const { date, earliest, latest } = response_limit.forecast
    expect([earliest < date, date < latest]).toEqual([true, true])
    // One quota has too few responses for a forecast, so that the response limit closes the survey.
    expect(closing).toEqual({
      ...{ reason: 'response_limit', date, earliest, latest },
      complete: { expected: 100, low: 100, high: 100 },
    })
  })

  test('names the closing day of the settings and the responses until then, if the limit is not reached earlier', async () => {
    const closeAt = new Date(world.now.getTime() + 5 * DAY_MS).toISOString()
    const id = await makeSurvey(ann, TWO_PAGES, { close_at: closeAt, max_responses: 1_000 })
    await respondDaily(id, [6, 6, 6, 6])
    const { closing } = await fieldwork(id)
    const date = closeAt.slice(0, 10)
    expect(closing).toMatchObject({
      reason: 'close_at',
      date,
      earliest: date,
      latest: date,
      complete: { expected: 54 },
    })
    expect(closing.complete.low).toBeLessThan(50)
    expect(closing.complete.high).toBeGreaterThan(58)
    expect((await ann.put(`/api/v3/surveys/${id}/settings/`, { json: { live: 0 } })).status).toBe(200)
    expect((await fieldwork(id)).closing).toBeNull()
  })

  test('lets a quota that closes the survey end the fieldwork, and the last quota if all have a forecast', async () => {
    const quota = (action: string, limit: number) => ({ name: `${action} ${limit}`, limit, action })
    for (const [quotas, day] of [
      [[quota('terminate', 40), quota('close', 60)], '2026-01-21'],
      [[quota('terminate', 40), quota('terminate', 60)], '2026-01-21'],
      [[quota('terminate', 40), quota('close', 30)], '2026-01-16'],
    ] as const) {
      const id = await makeSurvey(ann, { ...TWO_PAGES, quotas })
      const now = world.now
      for (let days = 4; days >= 1; days -= 1) {
        world.now = new Date(now.getTime() - days * DAY_MS)
        for (let each = 0; each < 6; each += 1)
          await ann.post(`/api/v3/surveys/${id}/responses/`, { json: { a: 'x', _completed: 1 } })
      }
      world.now = now
      expect((await fieldwork(id)).closing).toMatchObject({ reason: 'quotas', date: day })
    }
  })

  test('counts invitations by collector and by the contact lists of the caller, with the rates of AAPOR', async () => {
    const id = await makeSurvey(ann, {
      ...TWO_PAGES,
      form: TWO_PAGES.form.map((page, index) =>
        index === 0
          ? { ...page, skip: [{ to: 'terminate', when: { all: [{ question: 'a', op: 'eq', value: 'no' }] } }] }
          : page,
      ),
    })
    const list = await insertContacts(world, ann, 6, 'field')
    const { body: other } = await ann.post('/api/v3/contact-lists/', { json: { name: 'Board members' } })
    const db = world.em().getKysely<Tables>()
    const members = await db
      .selectFrom('contact_list_member')
      .select('contact_id')
      .where('list_id', '=', list)
      .execute()
    await db
      .insertInto('contact_list_member')
      .values({ list_id: other.id, contact_id: members[0]!.contact_id })
      .execute()
    const { body: loose } = await ann.post('/api/v3/contacts/', { json: { name: 'Zoe', email: 'zoe@example.net' } })
    await sendDraft(ann, await createDraft(ann, id, [{ list }, { ids: [loose.id], field: 'contacts' }]))
    await world.runJobs()
    const { body: invites } = await ann.get(`/api/v3/surveys/${id}/invites/`)
    const answer = async (link: string, ...pages: Record<string, string>[]) => {
      let reply = await world.anonymous.get(link)
      for (const page of pages) {
        reply = await submitForm(world.anonymous, reply, page)
        const location = reply.headers.get('location')
        if (location) reply = await world.anonymous.get(location)
      }
    }
    const byAddress = new Map<string, string>(
      invites.results.map(({ email, invite_url }: { email: string; invite_url: string }) => [email, invite_url]),
    )
    await answer(byAddress.get('field0@example.net')!, { a: 'yes' }, { b: 'x' })
    await answer(byAddress.get('field1@example.net')!, { a: 'yes' }, { b: 'x' })
    await answer(byAddress.get('field2@example.net')!, { a: 'yes' })
    await answer(byAddress.get('field3@example.net')!, { a: 'no' })
    await answer(byAddress.get('field4@example.net')!)
    await ann.post('/api/v3/bounces/', { json: { recipient: 'field5@example.net', type: 'hard' } })
    // A code without a recipient, and a response without an invitation, change no rate.
    await ann.post(`/api/v3/surveys/${id}/invite_codes/`, { form: { count: 3 } })
    await respond(world, id, {})
    const body = await fieldwork(id)
    expect(body.invitations).toEqual({
      ...{ invited: 7, accepted: 6, opened: 5, started: 4, complete: 2, terminated: 1 },
      response_rate: 33.3,
      response_rate_with_partial: 50,
    })
    expect(body.collectors).toMatchObject([{ is_default: true, invitations: body.invitations }])
    expect(body.contact_lists).toMatchObject([
      { id: other.id, name: 'Board members', invitations: { invited: 1, complete: 1, response_rate: 100 } },
      {
        id: list,
        name: 'field',
        invitations: { invited: 6, accepted: 5, opened: 5, started: 4, complete: 2, terminated: 1, response_rate: 40 },
      },
      { id: null, name: null, invitations: { invited: 1, accepted: 1, opened: 0, response_rate: 0 } },
    ])
  })

  test('shows titles in the requested language; 304 for the current ETag, 404 for the survey of another account', async () => {
    const id = await makeSurvey(ann, {
      ...TWO_PAGES,
      form: [{ ...TWO_PAGES.form[0], title: { en: 'About you', de: 'Über Sie' } }, TWO_PAGES.form[1]],
      languages: [{ code: 'en', isDefault: true }, { code: 'de' }],
    })
    expect((await fieldwork(id, '?language=de')).pages[0].title).toBe('Über Sie')
    const uri = `/api/v3/surveys/${id}/fieldwork/`
    const { headers } = await ann.get(uri)
    expect((await ann.get(uri, { headers: { 'If-None-Match': headers.get('etag')! } })).status).toBe(304)
    expect((await (await world.person()).get(uri)).status).toBe(404)
  })
})
