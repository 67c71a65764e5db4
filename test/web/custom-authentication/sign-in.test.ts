import { describe, expect, it } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { hiddenValue, responsesTo } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey, Respondent } from './survey.ts'

const world = useWorld()
const respondent = () => new Respondent(world.base)
const sessions = () => world.em().getKysely<Tables>().selectFrom('respondent_session').selectAll().execute()

describe.each(['sample', 'bearer'] as const)(
  'a survey with custom authentication at a system of the kind %s',
  (kind) => {
    const identity = useIdentityProvider(kind)

    it('is taken by who signs in and is allowed: each page and each answer is asked for', async () => {
      const { survey, path } = await membersSurvey(world, identity)
      const ann = respondent()
      const first = await ann.open(`${path}?source=poster`)
      expect(first.status).toBe(200)
      expect(first.text).toContain('Text a')
      const [authorization, back, again] = first.steps
      const query = new URL(authorization!).searchParams
      expect(authorization!.startsWith(`${identity.endpoint}/authorization?`)).toBe(true)
      expect(Object.fromEntries(query)).toEqual({
        response_type: 'code',
        client_id: 'survey-service',
        redirect_uri: `${world.base}${path}sign-in/`,
        state: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      })
      expect(back).toContain(`${path}sign-in/?`)
      expect(again).toBe(`${path}?source=poster`)
      expect(identity.requests('/token').map(({ form }) => form)).toEqual([
        {
          grant_type: 'authorization_code',
          client_id: 'survey-service',
          redirect_uri: `${world.base}${path}sign-in/`,
          code: expect.any(String),
          code_verifier: expect.any(String),
        },
      ])
      const key = hiddenValue(first, '_key')
      const second = await ann.fill(first, { a: 'one' })
      expect(second.text).toContain('Text b')
      const end = await ann.fill(second, { b: 'two' })
      expect(end.text).toContain('Thank you!')
      // A system that wants Bearer is asked a second time.
      const tries = identity.requests('/callback').filter(({ form }) => kind === 'sample' || !form.access_token)
      const asked = tries.map(({ form }) => form)
      const token = kind === 'sample' && { access_token: expect.any(String) }
      const wanted = { ...token, method: 'access_response', survey: String(survey.id), response: key }
      for (const form of asked) expect(form).toEqual(wanted)
      // The first page, its answers, the second page, its answers, the thanks.
      expect(asked).toHaveLength(5)
      expect(await responsesTo(world, survey.id)).toMatchObject([
        { completed: 1, answers: { a: 'one', b: 'two' }, get_variables: 'source=poster' },
      ])
    })

    it('keeps its tokens sealed, and the way to them in a cookie of the respondent', async () => {
      const { path, survey } = await membersSurvey(world, identity)
      const ann = respondent()
      const { to } = await ann.get(path)
      const { location } = Object.fromEntries((await fetch(to!, { redirect: 'manual' })).headers)
      const back = await ann.get(location!)
      const cookies = back.headers.getSetCookie()
      expect(cookies).toHaveLength(2)
      expect(cookies.find((line) => line.startsWith('respondent_'))).toMatch(
        /^respondent_\d+=[\w-]{43}; path=\/surveys\/; samesite=lax; httponly$/i,
      )
      const rows = await sessions()
      const tokens = identity.requests('/token')
      expect(tokens).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toMatch(/[ar]-[0-9a-f]{16}/)
      expect(rows.at(-1)).toMatchObject({ endpoint: identity.endpoint, attempt: 1 })
      expect((await ann.get(path)).text).toContain('Text a')
      expect((await sessions()).at(-1)).toMatchObject({ attempt: 0 })
      await world.em().getKysely<Tables>().deleteFrom('collector').where('survey_id', '=', survey.id).execute()
      expect(await sessions()).not.toContainEqual(expect.objectContaining({ hash: rows.at(-1)!.hash }))
    })

    it('over https its cookies are secure, even behind a proxy', async () => {
      const { path } = await membersSurvey(world, identity)
      const { services } = world.application
      const before = services.baseUrl
      services.baseUrl = 'https://survey.example.org'
      const reply = await world.anonymous.get(path)
      services.baseUrl = before
      expect(reply.headers.get('set-cookie')).toMatch(/samesite=lax; secure; httponly/)
      expect(reply.headers.get('location')).toContain(encodeURIComponent(`https://survey.example.org${path}sign-in/`))
    })

    it('is not shown, and takes nothing, without a sign-in', async () => {
      const { survey, path } = await membersSurvey(world, identity)
      const opened = await world.anonymous.get(path)
      expect(opened.status).toBe(303)
      const forged = { headers: { cookie: `respondent_1=${'x'.repeat(43)}` } }
      const form = { a: 'mine', _page: '2', _go: 'next', _key: 'ab'.repeat(20) }
      const sent = await world.anonymous.post(path, { ...forged, form })
      expect(sent.status).toBe(403)
      expect(sent.text).not.toContain('Text')
      const look = await world.anonymous.post(`${path}${'ab'.repeat(20)}/`, { form: { ...form, _go: 'look' } })
      expect(look.status).toBe(403)
      expect(await responsesTo(world, survey.id)).toEqual([])
      expect(identity.requests('/callback')).toEqual([])
    })

    it('does not show to others a response that is complete', async () => {
      const { survey, path } = await membersSurvey(world, identity)
      const ann = respondent()
      await ann.fill(await ann.fill(await ann.open(path), { a: '1' }), { b: '2' })
      const { key } = (await responsesTo(world, survey.id))[0]!
      const own = `${path}${key.toString('hex')}/`
      expect((await ann.open(own)).text).toContain('Thank you!')
      expect((await world.anonymous.get(own)).status).toBe(303)
      identity.setReply('/callback', replyHandlers.text(404, 'not yours'))
      expect((await ann.open(own)).text).toContain('You cannot take this survey')
    })

    it('comes back to a response of its own address', async () => {
      const { survey, path } = await membersSurvey(world, identity)
      const ann = respondent()
      await ann.fill(await ann.open(path), { a: '1' })
      const { key } = (await responsesTo(world, survey.id))[0]!
      const elsewhere = await respondent().open(`${path}${key.toString('hex')}/?page=1`)
      expect(elsewhere.text).toContain('value="1"')
      expect(identity.requests('/callback').at(-1)!.form.response).toBe(key.toString('hex'))
    })

    it('asks for the response that an invitation has, whatever key a form carries', async () => {
      const { owner, survey, path } = await membersSurvey(world, identity)
      const { body } = await owner.post(`/api/v3/surveys/${survey.id}/invite-codes/`, { json: { count: 1 } })
      const [{ code }] = body.results ?? body
      const ann = respondent()
      const first = await ann.open(`${path}?code=${code}`)
      await ann.fill(first, { a: '1' })
      const { key } = (await responsesTo(world, survey.id))[0]!
      const other = 'ab'.repeat(20)
      await ann.post(`${path}${other}/?code=${code}`, { a: '2', _page: '1', _go: 'later', _key: other })
      expect(identity.requests('/callback').at(-1)!.form.response).toBe(key.toString('hex'))
      expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: '2' } }])
    })

    it('knows the service by the name that it is given', async () => {
      const { path } = await membersSurvey(world, identity)
      const { services } = world.application
      services.serviceClientId = identity.clientId = 'Our surveys'
      expect((await respondent().open(path)).text).toContain('Text a')
      services.serviceClientId = identity.clientId = 'survey-service'
    })

    it('tells the identity system no key by which somebody anonymous could be found', async () => {
      const { survey, path } = await membersSurvey(world, identity, { anonymous: true })
      const ann = respondent()
      await ann.fill(await ann.open(path), { a: '1' })
      const { key } = (await responsesTo(world, survey.id))[0]!
      const told = identity.requests('/callback').map(({ form }) => form.response)
      expect(new Set(told).size).toBe(1)
      expect(told[0]).toMatch(/^[0-9a-f]{40}$/)
      expect(told[0]).not.toBe(key.toString('hex'))
    })

    it('asks a collector’s own system, and no other gets its tokens', async () => {
      const { owner, survey, path } = await membersSurvey(world, identity)
      const ann = respondent()
      await ann.open(path)
      const settings = { custom_authentication: { endpoint_uri: `${identity.endpoint}/moved`, client_secret: 'x' } }
      await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })
      const before = identity.requests('/callback').length
      expect((await ann.get(path)).to).toMatch(/\/members\/moved\/authorization\?/)
      expect(identity.requests('/callback')).toHaveLength(before)
      const { body: open } = await owner.post(`/api/v3/surveys/${survey.id}/collectors/`, {
        json: { name: 'Open', settings: { custom_authentication: { enabled: false } } },
      })
      expect((await world.anonymous.get(`${path}?collector=${open.id}`)).text).toContain('Text a')
    })

    it('takes what its owner hands in by the interface, without asking anybody', async () => {
      const { owner, survey } = await membersSurvey(world, identity)
      identity.setReply('/callback', replyHandlers.disconnect)
      expect((await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { form: { a: 'x' } })).status).toBe(201)
      expect(identity.requests('/callback')).toEqual([])
    })
  },
)
