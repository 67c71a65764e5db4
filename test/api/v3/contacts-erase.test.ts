import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { signInAs } from '../../support/http-browser.ts'
import { useReceiver } from '../../support/receiver.ts'
import { type ResponseDraft, respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})

type Respondent = Pick<
  ResponseDraft,
  'inviteEmail' | 'inviteName' | 'username' | 'ipAddress' | 'getVariables' | 'referrer'
>
const EVE: Respondent = {
  inviteEmail: 'EVE@x.example',
  inviteName: 'Eve',
  username: 'evie',
  ipAddress: '203.0.113.7',
  getVariables: 'email=eve',
  referrer: 'https://eve.example/',
}
const CARL: Respondent = {
  inviteEmail: 'carl@x.example',
  inviteName: 'Carl',
  username: 'carl',
  ipAddress: '203.0.113.8',
  getVariables: 'a=b',
  referrer: 'https://c.example/',
}

/** Creates a survey with responses. @returns its ID */
async function surveyWith(author: Person, ...respondents: Respondent[]): Promise<number> {
  const q1 = { idname: 'text-response', id: 'q1', title: 'Why?', children: [{ type: 'string' }] }
  const id = await makeSurvey(author, { title: 'S', form: [{ children: [q1] }] })
  for (const respondent of respondents) await respond(world, id, { ...respondent, answers: { q1: 'why' } })
  return id
}
const responses = async (caller: Person, id: number): Promise<Reply['body'][]> =>
  (await caller.get(`/api/v3/surveys/${id}/responses/`)).body.results
const contact = async (caller: Person): Promise<Reply['body']> =>
  (await caller.post('/api/v3/contacts/', { form: { name: 'Eve', email: 'eve@x.example', city: 'Oslo' } })).body

describe('eraseContact', () => {
  test('deletes the contact, its list entries and its identity in responses, keeps the answers and returns a receipt', async () => {
    const [one, two] = [await surveyWith(ann, EVE, CARL, EVE), await surveyWith(ann, EVE)]
    const foreign = await surveyWith(bob, EVE)
    const { id, contact_uri: uri } = await contact(ann)
    const list = (await ann.post('/api/v3/contact-lists/', { form: { name: 'L' } })).body
    await ann.post(list.contacts_uri, { form: { id } })
    const { next_cursor: cursor } = (await ann.get(`/api/v3/surveys/${one}/responses/changes/`)).body
    world.now = new Date('2026-01-16T08:00:00Z')

    const reply = await ann.post(`${uri}erase/`)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      erased_at: '2026-01-16T08:00:00.000Z',
      contact_id: id,
      contact: 1,
      responses: 3,
      invites: 0,
      messages: 0,
      webhook_deliveries: 0,
      development_mails: 0,
    })
    expect((await ann.get(uri)).status).toBe(404)
    expect((await ann.get(list.contacts_uri)).body.count).toBe(0)
    const remaining = [...(await responses(ann, one)), ...(await responses(ann, two))]
    expect(remaining.map(({ q1 }) => q1)).toEqual(Array(4).fill('why'))
    expect(JSON.stringify(remaining)).not.toMatch(/eve|evie|203\.0\.113\.7/i)
    expect(JSON.stringify(remaining)).toMatch(/carl@x\.example.*|203\.0\.113\.8/)
    expect(remaining[0]._updated_at).toBe('2026-01-16T08:00:00')
    expect(JSON.stringify(await responses(bob, foreign))).toMatch(/EVE@x\.example/)
    const changes = (await ann.get(`/api/v3/surveys/${one}/responses/changes/?since=${cursor}`)).body.results
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(['edited', 'edited'])
    expect((await ann.get(`/api/v3/surveys/${one}/`)).body.number_of_responses).toBe(3)
  })

  test('returns 404 for a contact of another account and changes nothing', async () => {
    const survey = await surveyWith(ann, EVE)
    const { contact_uri: uri } = await contact(ann)
    expect(await bob.post(`${uri}erase/`)).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect((await ann.get(uri)).status).toBe(200)
    expect(await responses(ann, survey)).toMatchObject([{ _invite_email: 'EVE@x.example' }])
  })
})

describe('eraseContact in messages', () => {
  test('deletes sent and pending webhook messages and stored email files of the contact, and keeps those of other contacts', async () => {
    const person = await world.person()
    const id = await surveyWith(person)
    const hook = { event: 'response_complete', subscription_url: receiver.url('/hook'), survey: id }
    const { id: webhook } = (await person.post('/api/v3/webhooks/', { json: hook })).body
    const contacts = { event: 'contact_create', subscription_url: receiver.url('/contacts') }
    expect((await person.post('/api/v3/webhooks/', { json: contacts })).status).toBe(201)
    for (const { event, subscription_url } of [hook, contacts]) {
      const json = { event, subscription_url: `${subscription_url}-json`, format: 'json' }
      expect((await person.post('/api/v3/webhooks/', { json })).status).toBe(201)
    }
    const eve = await contact(person)
    await person.post('/api/v3/contacts/', { form: { name: 'Joe', email: 'joeve@x.example' } })
    const complete = (inviteEmail: string) => respond(world, id, { inviteEmail, answers: { q1: 'yes' } })
    for (const email of ['Eve@x.example', 'joeve@x.example']) await complete(email)
    await world.runJobs()
    // This event is still pending when the contact is erased.
    await complete('eve@x.example')
    await world.application.services.mailer.send({
      messageId: '<1@x>',
      date: world.now,
      from: { name: '', address: 'a@x.example' },
      to: { name: 'Eve', address: 'EVE@x.example' },
      subject: 'S',
      text: 'T',
    })
    const { status, body } = await person.post(`${eve.contact_uri}erase/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ webhook_deliveries: 6, development_mails: 1 })
    const remaining = await world.application.services.pool.query('select facts, body from webhook_delivery')
    expect(JSON.stringify(remaining.rows)).not.toMatch(/[^o]eve(@|%40)x/i)
    expect(JSON.stringify(remaining.rows)).toMatch(/joeve/)
    const before = receiver.received('/hook').length
    await world.runJobs()
    expect(receiver.received('/hook').slice(before)).toEqual([])
    expect((await person.get(`/api/v3/webhooks/${webhook}/deliveries/`)).body.count).toBe(1)
    expect(await readdir(join(world.dataDir, 'outbox'))).toEqual([])
  })
})

describe('custom fields with names of Object.prototype', () => {
  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('accept %s like any other name', async (name) => {
    const person = await world.person()
    const created = await person.post('/api/v3/contacts/', {
      json: { name: 'A', email: 'a@x.example', [name]: 'value' },
    })
    expect(created).toMatchObject({ status: 201, body: { [name]: 'value' } })
    await person.post('/api/v3/contacts/', { json: { name: 'B', email: 'b@x.example' } })
    const csv = await person.get('/api/v3/contacts/csv/')
    expect(csv.text).toBe(`name,email,unsubscribed,${name}\r\nA,a@x.example,false,value\r\nB,b@x.example,false,\r\n`)
    const browser = await signInAs(person)
    const second = (await person.get('/api/v3/contacts/?search=b@x')).body.results[0].id
    const page = await browser.get(`/account/contacts/${second}/`)
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('native code')
  })

  test('return an error for __proto__, in the API and on the page', async () => {
    const person = await world.person()
    const body = '{"name":"A","email":"a@x.example","__proto__":"x"}'
    const rejected = await person.post('/api/v3/contacts/', { body, headers: { 'content-type': 'application/json' } })
    expect(rejected).toMatchObject({ status: 400 })
    expect(rejected.text).toContain('__proto__')
    const browser = await signInAs(person)
    const form = { name: 'A', email: 'a@x.example', 'field.new': '__proto__', 'custom.new': 'x' }
    expect((await browser.post('/account/contacts/new/', form)).status).toBe(422)
  })
})
