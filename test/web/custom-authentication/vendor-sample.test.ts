import { describe, expect, it } from '@jest/globals'
import { pino } from 'pino'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { storedResponses } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const logLines: { msg: string; survey: number }[] = []
const world = useWorld({ log: pino({ level: 'warn' }, { write: (line) => logLines.push(JSON.parse(line)) }) })

const NOT_SIGNED_IN = 'You are not signed in'

/** Opens a survey, and signs in at the provider. @returns the URLs of both redirects */
async function startSignIn(path: string, ann = new RespondentBrowser(world.base)) {
  const { to } = await ann.get(path)
  const reply = await fetch(to!, { redirect: 'manual' })
  return { ann, to: new URL(to!), callback: new URL(reply.headers.get('location')!) }
}

describe('an identity provider that follows the sample code of the original service [spec 12.3]', () => {
  const identity = useIdentityProvider('sample')

  it('gives a user access to the response that the survey owner created for this user, and to no other response', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const createResponse = async () => (await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: {} })).body
    const [own, other] = [await createResponse(), await createResponse()]
    identity.responses = [own.key]
    const ann = new RespondentBrowser(world.base)
    const opened = await ann.open(`${path}${own.key}/`)
    expect(opened.text).toContain('Text a')
    expect(opened.redirects).toEqual([
      expect.stringMatching(`^${identity.endpoint}/authorization\\?response_type=code&client_id=survey-service&`),
      expect.stringMatching(/\/sign-in\/\?code=[0-9a-f]+$/),
      `${path}${own.key}/`,
    ])
    expect(identity.requests('/callback')).toEqual([
      {
        path: '/callback',
        authorization: expect.stringMatching(/^Basic /),
        form: {
          access_token: expect.any(String),
          method: 'access_response',
          survey: String(survey.id),
          response: own.key,
        },
      },
    ])
    const reopened = await ann.open(`${path}${own.key}/`)
    expect(reopened).toMatchObject({ status: 200, redirects: [] })
    const thanks = await ann.submit(await ann.submit(reopened, { a: 'one' }), { b: 'two' })
    expect(thanks.text).toContain('Thank you!')
    expect((await ann.open(`${path}${other.key}/`)).status).toBe(403)
    expect((await ann.open(path)).text).toContain('You cannot take this survey')
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { a: 'one', b: 'two' }, completed: 1 },
      { answers: {}, completed: 0 },
    ])
  })

  it('requires a new sign-in after invalid_grant with status 200', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const ann = new RespondentBrowser(world.base)
    await ann.open(path)
    identity.signOut()
    const page = await ann.open(path)
    expect(page.redirects[0]).toContain('/authorization?')
    expect(page.text).toContain('Text a')
  })

  it('issues access tokens for the same refresh token repeatedly', async () => {
    identity.expiresIn = 60
    const { path } = await surveyWithSignIn(world, identity)
    const ann = new RespondentBrowser(world.base)
    await ann.open(path)
    const startTime = world.now
    for (const minutes of [2, 4]) {
      world.now = new Date(startTime.getTime() + minutes * 60_000)
      expect(await ann.open(path)).toMatchObject({ status: 200, redirects: [] })
    }
    world.now = startTime
    expect(identity.requests('/token').map(({ form }) => form.grant_type)).toEqual([
      'authorization_code',
      'refresh_token',
      'refresh_token',
    ])
  })

  it('causes one log line per survey for callbacks without state', async () => {
    const { path, survey } = await surveyWithSignIn(world, identity)
    for (let visit = 0; visit < 3; visit += 1) await new RespondentBrowser(world.base).open(path)
    const warnings = logLines.filter((line) => line.survey === survey.id)
    expect(warnings).toMatchObject([
      { msg: 'identity provider does not send state back', endpoint: identity.endpoint, survey: survey.id },
    ])
  })
})

describe('a callback without state', () => {
  const identity = useIdentityProvider('sample')

  it('is accepted only in the browser that started the sign-in, once, within 30 minutes', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, callback } = await startSignIn(path)
    const other = new RespondentBrowser(world.base)
    expect(await other.get(callback.href)).toMatchObject({ status: 400, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(other.cookies.size).toBe(0)
    expect(identity.requests('/token')).toEqual([])
    expect(await ann.get(callback.href)).toMatchObject({ status: 303, to: path })
    expect((await ann.get(callback.href)).status).toBe(400)
    expect(identity.requests('/token')).toHaveLength(1)
    const expired = await startSignIn(path)
    const startTime = world.now
    world.now = new Date(startTime.getTime() + 1_800_001)
    expect((await expired.ann.get(expired.callback.href)).status).toBe(400)
    world.now = startTime
  })

  it('is rejected with a wrong, empty or repeated state, and the sign-in stays valid', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, to, callback } = await startSignIn(path)
    const state = to.searchParams.get('state')!
    for (const query of [`state=${state[0]}${'x'.repeat(42)}`, 'state=', 'state=x', 'state=&state='])
      expect((await ann.get(`${callback.href}&${query}`)).status).toBe(400)
    expect(identity.requests('/token')).toEqual([])
    expect((await ann.get(callback.href)).status).toBe(303)
  })

  it('requires a code or an error', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, callback } = await startSignIn(`${path}?source=x`)
    expect((await ann.get(callback.pathname)).status).toBe(400)
    const denied = await ann.get(`${callback.pathname}?error=access_denied`)
    expect(denied).toMatchObject({ status: 403, text: expect.stringContaining(`href="${path}?source=x"`) })
    expect((await ann.get(callback.href)).status).toBe(400)
  })

  it('completes the latest of several pending sign-ins, and completes each sign-in once', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const ann = new RespondentBrowser(world.base)
    const tabs = []
    for (const tab of [1, 2]) {
      tabs.push(await startSignIn(`${path}?tab=${tab}`, ann))
      world.now = new Date(world.now.getTime() + 1000)
    }
    const pendingSignIns = [...ann.cookies.keys()].filter((name) => name.startsWith('sign_in_')).length
    expect((await ann.get(tabs[1]!.callback.href)).to).toBe(`${path}?tab=2`)
    // The browser has sixteen slots. If both tabs got the same slot, the older sign-in was replaced.
    if (pendingSignIns === 2) expect((await ann.get(tabs[0]!.callback.href)).to).toBe(`${path}?tab=1`)
    expect((await ann.get(tabs[0]!.callback.href)).status).toBe(400)
  })

  it('is rejected if sign-ins for collectors with different providers are pending', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const settings = { custom_authentication: { endpoint_uri: `${identity.endpoint}/moved`, client_secret: null } }
    const json = { name: 'Another', settings }
    const { body: second } = await owner.post(`/api/v3/surveys/${survey.id}/collectors/`, { json })
    // A sign-in gets one of sixteen slots at random. Both sign-ins are started again until their slots differ.
    const startBothSignIns = async (): Promise<Awaited<ReturnType<typeof startSignIn>>> => {
      const ann = new RespondentBrowser(world.base)
      await ann.get(`${path}?collector=${second.id}`)
      const signIn = await startSignIn(path, ann)
      return ann.cookies.size > 1 ? signIn : startBothSignIns()
    }
    const { ann, callback } = await startBothSignIns()
    expect((await ann.get(callback.href)).status).toBe(400)
    expect(identity.requests('/token')).toEqual([])
    expect((await ann.open(path)).text).toContain('Text a')
  })
})

describe('an identity provider that returns state', () => {
  const identity = useIdentityProvider('bearer')

  it('must return state in each callback, because a forged callback could omit it', async () => {
    const { path, survey } = await surveyWithSignIn(world, identity)
    await new RespondentBrowser(world.base).open(path)
    const { ann, callback } = await startSignIn(path)
    callback.searchParams.delete('state')
    expect(await ann.get(callback.href)).toMatchObject({ status: 400, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(identity.requests('/token')).toHaveLength(1)
    expect(logLines.filter((line) => line.survey === survey.id)).toMatchObject([
      {
        msg: 'sign-in rejected: its state is missing, although the identity provider sends the state back in other sign-ins',
      },
    ])
    expect((await ann.open(path)).text).toContain('Text a')
  })

  it('receives Basic credentials, and after a 401 a Bearer token', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    await new RespondentBrowser(world.base).open(path)
    const [first, second, ...others] = identity.requests('/callback')
    expect(first).toMatchObject({ authorization: expect.stringMatching(/^Basic /) })
    expect(second).toMatchObject({ authorization: `Bearer ${first!.form.access_token}` })
    expect(second!.form).not.toHaveProperty('access_token')
    expect(others).toEqual([])
  })

  it('requires a new sign-in after 401 with invalid_grant for both the Basic and the Bearer request', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const ann = new RespondentBrowser(world.base)
    await ann.open(path)
    identity.silent = false
    identity.setReply('/callback', replyHandlers.json(401, { error: 'invalid_grant' }))
    expect((await ann.open(path)).text).toContain('Members only')
  })
})
