import { describe, expect, it } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { hiddenValue, storedResponses } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()
const respondent = () => new RespondentBrowser(world.base)
const sessions = () => world.em().getKysely<Tables>().selectFrom('respondent_session').selectAll().execute()

describe.each(['sample', 'bearer'] as const)('a survey with an identity provider of the kind %s', (kind) => {
  const identity = useIdentityProvider(kind)

  it('can be completed by a user with access, and asks the provider at each page and each submission [spec 12.2]', async () => {
    const { survey, path } = await surveyWithSignIn(world, identity)
    const ann = respondent()
    const first = await ann.open(`${path}?source=poster`)
    expect(first.status).toBe(200)
    expect(first.text).toContain('Text a')
    const [authorization, callback, target] = first.redirects
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
    expect(callback).toContain(`${path}sign-in/?`)
    expect(target).toBe(`${path}?source=poster`)
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
    const second = await ann.submit(first, { a: 'one' })
    expect(second.text).toContain('Text b')
    const thanks = await ann.submit(second, { b: 'two' })
    expect(thanks.text).toContain('Thank you!')
    // A provider that requires a Bearer token gets two requests each time. Only the second is counted.
    const requests = identity.requests('/callback').filter(({ form }) => kind === 'sample' || !form.access_token)
    const forms = requests.map(({ form }) => form)
    const token = kind === 'sample' && { access_token: expect.any(String) }
    const expected = { ...token, method: 'access_response', survey: String(survey.id), response: key }
    for (const form of forms) expect(form).toEqual(expected)
    // The first page, its submission, the second page, its submission, and the final page.
    expect(forms).toHaveLength(5)
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { a: 'one', b: 'two' }, get_variables: 'source=poster' },
    ])
  })

  it('stores tokens encrypted, and their key in a cookie of the respondent', async () => {
    const { path, survey } = await surveyWithSignIn(world, identity)
    const ann = respondent()
    const { to } = await ann.get(path)
    const { location } = Object.fromEntries((await fetch(to!, { redirect: 'manual' })).headers)
    const callback = await ann.get(location!)
    const cookies = callback.headers.getSetCookie()
    expect(cookies).toHaveLength(2)
    expect(cookies.find((line) => line.startsWith('respondent_'))).toMatch(
      /^respondent_\d+=[\w-]{43}; path=\/; samesite=lax; httponly$/i,
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

  it('sets Secure cookies over https, also behind a proxy', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { services } = world.application
    const { baseUrl } = services
    services.baseUrl = 'https://survey.example.org'
    const reply = await world.anonymous.get(path)
    services.baseUrl = baseUrl
    expect(reply.headers.get('set-cookie')).toMatch(/^__Secure-sign_in_\d+=.*samesite=lax; secure; httponly/)
    expect(reply.headers.get('location')).toContain(encodeURIComponent(`https://survey.example.org${path}sign-in/`))
  })

  it('shows and stores nothing without a sign-in', async () => {
    const { survey, path } = await surveyWithSignIn(world, identity)
    const reply = await world.anonymous.get(path)
    expect(reply.status).toBe(303)
    const forged = { headers: { cookie: `respondent_1=${'x'.repeat(43)}` } }
    const form = { a: 'mine', _page: '2', _go: 'next', _key: 'ab'.repeat(20) }
    const submitted = await world.anonymous.post(path, { ...forged, form })
    expect(submitted.status).toBe(403)
    expect(submitted.text).not.toContain('Text')
    const lookup = await world.anonymous.post(`${path}${'ab'.repeat(20)}/`, { form: { ...form, _go: 'look' } })
    expect(lookup.status).toBe(403)
    expect(await storedResponses(world, survey.id)).toEqual([])
    expect(identity.requests('/callback')).toEqual([])
  })

  it('does not show a complete response to other users', async () => {
    const { survey, path } = await surveyWithSignIn(world, identity)
    const ann = respondent()
    await ann.submit(await ann.submit(await ann.open(path), { a: '1' }), { b: '2' })
    const { key } = (await storedResponses(world, survey.id))[0]!
    const responsePath = `${path}${key.toString('hex')}/`
    expect((await ann.open(responsePath)).text).toContain('Thank you!')
    expect((await world.anonymous.get(responsePath)).status).toBe(303)
    identity.setReply('/callback', replyHandlers.text(404, 'not yours'))
    expect((await ann.open(responsePath)).text).toContain('You cannot take this survey')
  })

  it('redirects back to the response whose address was requested', async () => {
    const { survey, path } = await surveyWithSignIn(world, identity)
    const ann = respondent()
    await ann.submit(await ann.open(path), { a: '1' })
    const { key } = (await storedResponses(world, survey.id))[0]!
    const page = await respondent().open(`${path}${key.toString('hex')}/?page=1`)
    expect(page.text).toContain('value="1"')
    expect(identity.requests('/callback').at(-1)!.form.response).toBe(key.toString('hex'))
  })

  it('asks the provider about the response of the invitation, even if the form contains another response key', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const { body } = await owner.post(`/api/v3/surveys/${survey.id}/invite_codes/`, { json: { count: 1 } })
    const [{ code }] = body.results
    const ann = respondent()
    const first = await ann.open(`${path}?code=${code}`)
    await ann.submit(first, { a: '1' })
    const { key } = (await storedResponses(world, survey.id))[0]!
    const other = 'ab'.repeat(20)
    await ann.post(`${path}${other}/?code=${code}`, { a: '2', _page: '1', _go: 'later', _key: other })
    expect(identity.requests('/callback').at(-1)!.form.response).toBe(key.toString('hex'))
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: '2' } }])
  })

  it('sends the configured client ID', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { services } = world.application
    services.serviceClientId = identity.clientId = 'Our surveys'
    expect((await respondent().open(path)).text).toContain('Text a')
    services.serviceClientId = identity.clientId = 'survey-service'
  })

  it('sends no response key of an anonymous survey to the provider', async () => {
    const { survey, path } = await surveyWithSignIn(world, identity, { anonymous: true })
    const ann = respondent()
    await ann.submit(await ann.open(path), { a: '1' })
    const { key } = (await storedResponses(world, survey.id))[0]!
    const keys = identity.requests('/callback').map(({ form }) => form.response)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{40}$/)
    expect(keys[0]).not.toBe(key.toString('hex'))
  })

  it('uses the provider of the collector, and sends tokens only to the provider that issued them', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const ann = respondent()
    await ann.open(path)
    const settings = { custom_authentication: { endpoint_uri: `${identity.endpoint}/moved`, client_secret: 'x' } }
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })
    const requestCount = identity.requests('/callback').length
    expect((await ann.get(path)).to).toMatch(/\/members\/moved\/authorization\?/)
    expect(identity.requests('/callback')).toHaveLength(requestCount)
    const { body: open } = await owner.post(`/api/v3/surveys/${survey.id}/collectors/`, {
      json: { name: 'Open', settings: { custom_authentication: { enabled: false } } },
    })
    expect((await world.anonymous.get(`${path}?collector=${open.id}`)).text).toContain('Text a')
  })

  it('accepts a response of its owner through the API without a request to the provider', async () => {
    const { owner, survey } = await surveyWithSignIn(world, identity)
    identity.setReply('/callback', replyHandlers.disconnect)
    expect((await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { form: { a: 'x' } })).status).toBe(201)
    expect(identity.requests('/callback')).toEqual([])
  })
})
