import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const DAY_MS = 86_400_000

describe('the team of a survey', () => {
  const world = useWorld({ settings: { RATE_LIMIT: 'on' } })
  let ann: Person
  let bob: Person
  let survey: number
  let team: string
  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    bob = await world.person({ name: 'Bob' })
    survey = await makeSurvey(ann, { title: 'Tea' })
    team = `/api/v3/surveys/${survey}/team/`
  })

  const invite = (email: string, roles = 'report view') => ann.post(`${team}invitations/`, { json: { email, roles } })
  const keyOf = ({ body }: { body: { url: string } }) => new URL(body.url).searchParams.get('key')!
  const answer = (person: Person, how: 'accept' | 'decline', key: string) =>
    person.post(`/api/v3/colleague-invitations/${how}/`, { json: { key } })

  test('gets people with inviteTeamMember and acceptColleagueInvitation, once for each link [spec 5.8]', async () => {
    const sent = await invite(bob.actor.email, ' CORRECT publish')
    expect(sent).toMatchObject({
      status: 201,
      body: { email: bob.actor.email, roles: ['Publish', 'Report', 'View', 'Correct'], state: 'pending' },
    })
    expect(Date.parse(sent.body.expires_at) - Date.parse(sent.body.sent_at)).toBe(7 * DAY_MS)
    expect((await ann.get(`${team}invitations/`)).body).toMatchObject({ count: 1, results: [{ id: sent.body.id }] })
    expect(await answer(ann, 'accept', keyOf(sent))).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await answer(bob, 'accept', keyOf(sent))).toMatchObject({
      status: 200,
      body: { survey, group: null, roles: ['Publish', 'Report', 'View', 'Correct'] },
    })
    expect(await answer(bob, 'accept', keyOf(sent))).toMatchObject({ status: 409, body: { code: 'link_expired' } })
    expect((await bob.get(`/api/v3/surveys/${survey}/responses/`)).status).toBe(200)
    expect((await bob.get(team)).status).toBe(403)
  })

  test('is listed by listTeam, owner first, and changed by updateTeamMember and removeTeamMember [spec 5.8]', async () => {
    const listed = await ann.get(team)
    expect(listed.body).toMatchObject({
      count: 2,
      results: [
        { user_id: ann.actor.id, is_owner: true, roles: [] },
        { user_id: bob.actor.id, name: 'Bob', is_owner: false },
      ],
    })
    const page = await ann.get(`${team}?page_size=1&page=2`)
    expect(page.body).toMatchObject({ count: 2, results: [{ user_id: bob.actor.id }], next: null })
    const member = `${team}${bob.actor.id}/`
    expect(await ann.put(member, { form: { roles: 'Edit' } })).toMatchObject({ status: 200, body: { roles: ['Edit'] } })
    expect((await bob.get(`/api/v3/surveys/${survey}/responses/`)).status).toBe(403)
    expect(await ann.put(member, { json: { roles: 'king' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'roles', code: 'unknown_role' }] },
    })
    expect((await ann.put(member, { json: {} })).body.errors[0].code).toBe('required')
    expect((await ann.put(`${team}${ann.actor.id}/`, { json: { roles: 'edit' } })).body.code).toBe('member_not_found')
    expect((await ann.delete(member)).body).toBe('OK')
    expect(await ann.delete(member)).toMatchObject({ status: 404, body: { code: 'member_not_found' } })
    expect((await bob.get(`/api/v3/surveys/${survey}/`)).status).toBe(404)
  })

  test('is left unchanged by declineColleagueInvitation and withdrawTeamInvitation, of which listTeamInvitations lists the declined one [spec 5.8]', async () => {
    const declined = await invite('one@example.net')
    expect((await answer(bob, 'decline', keyOf(declined))).body).toBe('OK')
    const withdrawn = await invite('two@example.net')
    expect((await ann.delete(`${team}invitations/${withdrawn.body.id}/`)).body).toBe('OK')
    for (const sent of [declined, withdrawn])
      for (const how of ['accept', 'decline'] as const)
        expect((await answer(bob, how, keyOf(sent))).body.code).toBe('link_expired')
    expect((await ann.delete(`${team}invitations/${declined.body.id}/`)).body.code).toBe('invitation_not_found')
    const { results } = (await ann.get(`${team}invitations/`)).body
    expect(results.map(({ email, state }: { email: string; state: string }) => [email, state])).toEqual([
      ['one@example.net', 'declined'],
    ])
  })

  test('gets a new link by resendTeamInvitation, which replaces the old one [spec 5.8]', async () => {
    const sent = await invite('three@example.net')
    world.now = new Date(world.now.getTime() + 8 * DAY_MS)
    expect((await answer(bob, 'accept', keyOf(sent))).body.code).toBe('link_expired')
    const resend = `${team}invitations/${sent.body.id}/resend/`
    const again = await ann.post(resend)
    expect(again).toMatchObject({ status: 200, body: { id: sent.body.id, state: 'pending' } })
    expect((await answer(bob, 'decline', keyOf(sent))).body.code).toBe('link_expired')
    expect((await answer(bob, 'accept', keyOf(again))).body.survey).toBe(survey)
    expect((await ann.post(resend)).body.code).toBe('invitation_not_found')
  })

  test('is invited by an address that is another person’s, with a role [spec 5.8]', async () => {
    for (const [email, roles, code] of [
      [ann.actor.email, 'view', 'taken'],
      [bob.actor.email, 'view', 'taken'],
      ['nobody', 'view', 'invalid_email'],
      ['four@example.net', ' ', 'blank'],
    ] as const)
      expect([email, (await invite(email, roles)).body.errors?.[0].code]).toEqual([email, code])
    const other = await makeSurvey(bob, { title: 'Coffee' })
    expect((await ann.get(`/api/v3/surveys/${other}/team/`)).status).toBe(404)
  })
})

describe('INVITE_NEW_ACCOUNTS=off', () => {
  const world = useWorld({ settings: { INVITE_NEW_ACCOUNTS: 'off' } })

  test('limits inviteTeamMember to people with an account [spec 5.8]', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const path = `/api/v3/surveys/${await makeSurvey(ann, { title: 'Tea' })}/team/invitations/`
    const invite = (email: string) => ann.post(path, { json: { email, roles: 'view' } })
    expect(await invite('stranger@example.net')).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            field: 'email',
            code: 'not_found',
            message: 'belongs to no account, and this server does not create accounts by invitation',
          },
        ],
      },
    })
    expect((await invite(bob.actor.email.toUpperCase())).status).toBe(201)
  })
})
