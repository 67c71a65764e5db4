import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})

/** A survey with responses imported from CSV. */
async function surveyWith(who: Person, ...rows: string[]): Promise<number> {
  const q1 = { idname: 'text-response', id: 'q1', title: 'Why?', children: [{ type: 'string' }] }
  const { id } = (await who.post('/api/v2/surveys/', { json: { title: 'S', form: [{ children: [q1] }] } })).body
  const header = 'q1,_invite_email,_invite_name,_username,_ip_address,_get_variables,_referrer'
  const sent = { body: [header, ...rows].join('\r\n'), headers: { 'content-type': 'text/csv' } }
  expect((await who.post(`/api/v2/surveys/${id}/responses/`, sent)).status).toBe(200)
  return id
}
const responses = async (who: Person, id: number): Promise<Reply['body'][]> =>
  (await who.get(`/api/v3/surveys/${id}/responses/`)).body.results
const contact = async (who: Person): Promise<Reply['body']> =>
  (await who.post('/api/v3/contacts/', { form: { name: 'Eve', email: 'eve@x.example', city: 'Oslo' } })).body

describe('eraseContact', () => {
  test('contact, lists and the person in responses go; the answers stay; a receipt is answered', async () => {
    const eve = 'mine,EVE@x.example,Eve,evie,203.0.113.7,email=eve,https://eve.example/'
    const other = 'theirs,carl@x.example,Carl,carl,203.0.113.8,a=b,https://c.example/'
    const [one, two] = [await surveyWith(ann, eve, other, eve), await surveyWith(ann, eve)]
    const foreign = await surveyWith(bob, eve)
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
    })
    expect((await ann.get(uri)).status).toBe(404)
    expect((await ann.get(list.contacts_uri)).body.count).toBe(0)
    const left = [...(await responses(ann, one)), ...(await responses(ann, two))]
    expect(left.map(({ q1 }) => q1)).toEqual(['mine', 'theirs', 'mine', 'mine'])
    expect(JSON.stringify(left)).not.toMatch(/eve|evie|203\.0\.113\.7/i)
    expect(JSON.stringify(left)).toMatch(/carl@x\.example.*|203\.0\.113\.8/)
    expect(left[0]._updated_at).toBe('2026-01-16T08:00:00')
    expect(JSON.stringify(await responses(bob, foreign))).toMatch(/EVE@x\.example/)
    const changes = (await ann.get(`/api/v3/surveys/${one}/responses/changes/?since=${cursor}`)).body.results
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(['edited', 'edited'])
    expect((await ann.get(`/api/v3/surveys/${one}/`)).body.number_of_responses).toBe(3)
  })

  test("another account's contact is a missing one, and keeps everything", async () => {
    const survey = await surveyWith(ann, 'mine,eve@x.example,Eve,evie,203.0.113.7,,')
    const { contact_uri: uri } = await contact(ann)
    expect(await bob.post(`${uri}erase/`)).toMatchObject({ status: 404, body: { code: 'contact_not_found' } })
    expect((await ann.get(uri)).status).toBe(200)
    expect(await responses(ann, survey)).toMatchObject([{ _invite_email: 'eve@x.example' }])
  })
})
