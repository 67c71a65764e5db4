import { describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { addSurvey, pageOf, submitForm, text } from '../../support/surveys.ts'
import { PICTURE } from '../../support/uploads.ts'
import { FONT } from '../../support/woff2.ts'
import { type Person, useWorld } from '../../support/world.ts'

const DAY_MS = 86_400_000
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

describe('createHandOver', () => {
  const world = useWorld({ settings: { FILES_MB_PER_ACCOUNT: '1' } })
  const offer = (owner: Person, surveys: string | number, email: string, keep?: string) =>
    owner.post('/api/v3/hand-overs/', { json: { surveys, email, ...(keep !== undefined && { keep_roles: keep }) } })
  const keyOf = ({ body }: { body: { url: string } }) => new URL(body.url).searchParams.get('key')!
  const answer = (person: Person, how: 'accept' | 'decline', key: string) =>
    person.post(`/api/v3/colleague-invitations/${how}/`, { json: { key } })
  const pair = async () => [await world.person({ name: 'Ann' }), await world.person({ name: 'Bob' })] as const

  test('changes the owner when the person accepts, and keeps responses, links and look [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const { survey, path } = await addSurvey(ann, onePage)
    const uri = `/api/v3/surveys/${survey.id}/`
    await ann.put(`/api/v3/users/${ann.actor.id}/theme/`, { json: { font: 'serif', accent_color: '#770000' } })
    const image = PICTURE.toString('base64')
    await ann.put(`/api/v3/users/${ann.actor.id}/theme/`, { json: { logo: image, cover: image } })
    await ann.put(`${uri}theme/`, { json: { accent_color: '#005500', font_file: FONT.toString('base64') } })
    await submitForm(world.anonymous, await world.anonymous.get(path), { first: 'Green' })
    const offered = await offer(ann, survey.id, bob.actor.email)
    expect(offered).toMatchObject({ status: 201, body: { surveys: [survey.id], keep_roles: [], state: 'pending' } })
    expect((await bob.get(uri)).status).toBe(404)
    expect(await answer(bob, 'accept', keyOf(offered))).toMatchObject({
      status: 200,
      body: { survey: null, group: null, roles: [], owned_surveys: [survey.id] },
    })
    expect((await ann.get(uri)).status).toBe(404)
    const { body } = await bob.get(uri)
    expect(body).toMatchObject({ number_of_responses: 1, creator: expect.stringContaining(`/users/${bob.actor.id}/`) })
    expect(body.deploy_url).toContain(`/surveys/${bob.actor.username}/`)
    for (const address of [path, new URL(body.deploy_url).pathname, new URL(body.short_url).pathname])
      expect([address, (await world.anonymous.get(address)).status]).toEqual([
        address,
        address.startsWith('/s/') ? 302 : 200,
      ])
    await submitForm(world.anonymous, await world.anonymous.get(path), { first: 'Black' })
    expect((await bob.get(uri)).body.number_of_responses).toBe(2)
    const theme = (await bob.get(`${uri}theme/`)).body
    expect(theme).toMatchObject({ font: 'serif', accent_color: '#005500' })
    await ann.put(`/api/v3/users/${ann.actor.id}/theme/`, { json: { logo: null, cover: null } })
    for (const { url } of [theme.logo, theme.cover, theme.font_file])
      expect((await world.anonymous.get(new URL(url).pathname)).status).toBe(200)
    expect((await answer(bob, 'accept', keyOf(offered))).body.code).toBe('link_expired')
  })

  test('never gives the former address to another survey, and gives it back with the survey [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const { survey, path } = await addSurvey(ann, onePage)
    await answer(bob, 'accept', keyOf(await offer(ann, survey.id, bob.actor.email)))
    const { path: other } = await addSurvey(ann, onePage)
    expect(other).not.toBe(path)
    await answer(ann, 'accept', keyOf(await offer(bob, survey.id, ann.actor.email)))
    const { deploy_url: address } = (await ann.get(`/api/v3/surveys/${survey.id}/`)).body
    expect(new URL(address).pathname).toBe(path)
  })

  test('keeps the access of everyone else, and the roles that the owner keeps [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const [carl, dora] = await pair()
    const { survey } = await addSurvey(ann, onePage)
    const group = await makeGroup(ann)
    await addMember(ann, group, carl, 'edit')
    await addMember(ann, group, bob, 'test')
    await share(ann, survey.id, group)
    const uri = `/api/v3/surveys/${survey.id}/`
    const invited = await ann.post(`${uri}team/invitations/`, { json: { email: dora.actor.email, roles: 'view' } })
    await answer(dora, 'accept', keyOf(invited))
    await answer(bob, 'accept', keyOf(await offer(ann, survey.id, bob.actor.email, 'view')))
    const { results } = (await bob.get(`${uri}team/`)).body
    expect(results.map(({ user_id, roles }: { user_id: number; roles: string[] }) => [user_id, roles])).toEqual([
      [bob.actor.id, []],
      [ann.actor.id, ['Report', 'View']],
      [carl.actor.id, ['Edit']],
      [dora.actor.id, ['Report', 'View']],
    ])
    expect((await carl.put(uri, { json: { name: 'Chai' } })).status).toBe(200)
    expect((await ann.put(uri, { json: { name: 'Milk' } })).status).toBe(403)
    expect((await bob.get(`${uri}groups/`)).body.count).toBe(0)
    expect((await ann.get(`${uri}team/`)).status).toBe(403)
    expect((await bob.delete(`${uri}team/${ann.actor.id}/`)).status).toBe(200)
    expect((await ann.get(uri)).status).toBe(404)
  })

  test('deletes the webhooks of the former owner, and keeps who unsubscribed [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const { survey } = await addSurvey(ann, onePage)
    const uri = `/api/v3/surveys/${survey.id}/`
    const hook = (members: object) =>
      ann.post('/api/v3/webhooks/', {
        json: { event: 'response_complete', subscription_url: `http://127.0.0.1:9/${Math.random()}`, ...members },
      })
    const [of, all] = [await hook({ survey: survey.id }), await hook({})]
    const mail = { subject: 'Tea?', message: 'Please: [Invite Link]', sender: 'Ann <ann@example.org>' }
    const email = `eve${survey.id}@example.net`
    await ann.post(`${uri}invites/`, { json: { name: 'Eve', email, ...mail } })
    const { results } = (await ann.get('/api/v3/contacts/')).body
    await ann.put(`/api/v3/contacts/${results[0].id}/`, { json: { unsubscribed: true } })
    await answer(bob, 'accept', keyOf(await offer(ann, survey.id, bob.actor.email)))
    expect((await ann.get(`/api/v3/webhooks/${of.body.id}/`)).status).toBe(404)
    expect((await ann.get(`/api/v3/webhooks/${all.body.id}/`)).status).toBe(200)
    await bob.post('/api/v3/contacts/', { json: { name: 'Eve', email } })
    expect((await bob.get('/api/v3/contacts/')).body.results).toMatchObject([{ email, unsubscribed: true }])
    await world.anonymous.get(new URL((await bob.get(uri)).body.deploy_url).pathname)
    await bob.post(`${uri}responses/`, { json: { first: 'x', _completed: 1 } })
    expect((await ann.get(`/api/v3/webhooks/${all.body.id}/deliveries/`)).body.count).toBe(0)
  })

  test('is refused for a survey of another owner, own addresses and too much storage [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const { survey } = await addSurvey(ann, onePage)
    expect(await offer(bob, survey.id, 'x@example.net')).toMatchObject({
      status: 404,
      body: { code: 'survey_not_found' },
    })
    expect((await offer(ann, survey.id, ann.actor.email)).body.errors[0].code).toBe('taken')
    expect((await offer(ann, 'x', bob.actor.email)).status).toBe(400)
    const offered = await offer(ann, survey.id, bob.actor.email)
    expect((await answer(ann, 'accept', keyOf(offered))).body.code).toBe('forbidden')
    const file = {
      survey_id: survey.id,
      question_id: 'first',
      response_id: 1,
      type: 'text/plain',
      created_at: world.now,
    }
    await world
      .em()
      .getKysely<Tables>()
      .insertInto('uploaded_file')
      .values({ ...file, key: 'f'.repeat(32), name: 'a.txt', bytes: 2_000_000 } as never)
      .execute()
    expect(await answer(bob, 'accept', keyOf(offered))).toMatchObject({ status: 409, body: { code: 'storage_full' } })
    expect((await ann.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(200)
  })

  test('replaces an earlier offer, expires, is listed by listHandOvers, and can be declined, and withdrawn by withdrawHandOver [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const [first, second] = [await addSurvey(ann, onePage), await addSurvey(ann, onePage)]
    const both = `${first.survey.id}, ${second.survey.id}`
    const old = await offer(ann, both, bob.actor.email)
    const declined = await offer(ann, second.survey.id, bob.actor.email)
    expect((await answer(bob, 'accept', keyOf(old))).body.code).toBe('link_expired')
    expect((await answer(bob, 'decline', keyOf(declined))).body).toBe('OK')
    const withdrawn = await offer(ann, both, bob.actor.email)
    expect((await ann.get('/api/v3/hand-overs/')).body).toMatchObject({
      count: 2,
      results: [{ state: 'pending', surveys: [first.survey.id, second.survey.id] }, { state: 'declined' }],
    })
    const path = `/api/v3/hand-overs/${withdrawn.body.id}/`
    expect((await bob.delete(path)).body.code).toBe('hand_over_not_found')
    expect((await ann.delete(path)).body).toBe('OK')
    expect((await ann.delete(path)).body.code).toBe('hand_over_not_found')
    const last = await offer(ann, both, bob.actor.email)
    world.now = new Date(world.now.getTime() + 7 * DAY_MS + 1000)
    expect((await answer(bob, 'accept', keyOf(last))).body.code).toBe('link_expired')
    const again = await offer(ann, both, bob.actor.email)
    await ann.delete(`/api/v3/surveys/${second.survey.id}/`)
    expect((await answer(bob, 'accept', keyOf(again))).body.owned_surveys).toEqual([first.survey.id])
  })

  test('is accepted by one of two people at the same time [spec 4.3]', async () => {
    const [ann, bob] = await pair()
    const { survey } = await addSurvey(ann, onePage)
    const key = keyOf(await offer(ann, survey.id, bob.actor.email))
    const carl = await world.person()
    const replies = await Promise.all([bob, carl].map((person) => answer(person, 'accept', key)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('deleteUser', () => {
  const world = useWorld()

  test('is refused while other people work on surveys of the account, and deletes none of theirs [spec 4.3]', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const { survey } = await addSurvey(ann, onePage)
    const group = await makeGroup(ann)
    await addMember(ann, group, bob, 'edit')
    await share(ann, survey.id, group)
    const leave = () => ann.delete(`/api/v3/users/${ann.actor.id}/`, { json: { password: ann.password } })
    expect(await leave()).toMatchObject({
      status: 409,
      body: { code: 'surveys_shared', detail: expect.stringContaining('“Tea”') },
    })
    const json = { surveys: survey.id, email: bob.actor.email, keep_roles: 'edit' }
    const { url } = (await ann.post('/api/v3/hand-overs/', { json })).body
    await bob.post('/api/v3/colleague-invitations/accept/', {
      json: { key: new URL(url).searchParams.get('key') },
    })
    expect(await leave()).toMatchObject({ status: 200, body: { surveys: 0 } })
    expect((await bob.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(200)
    expect((await bob.get(`/api/v3/surveys/${survey.id}/team/`)).body.count).toBe(1)
  })

  test('is permitted after the people were removed [spec 4.3]', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const { survey } = await addSurvey(ann, onePage)
    const group = await makeGroup(ann)
    await addMember(ann, group, bob, 'edit')
    await share(ann, survey.id, group)
    await ann.delete(`/api/v3/surveys/${survey.id}/groups/?group=${group}`)
    const reply = await ann.delete(`/api/v3/users/${ann.actor.id}/`, { json: { password: ann.password } })
    expect(reply).toMatchObject({ status: 200, body: { surveys: 1 } })
  })
})
