import { describe, expect, it } from '@jest/globals'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()
const identity = useIdentityProvider('bearer')

const NOT_SIGNED_IN = 'You are not signed in'

/** Opens a survey, and signs in at the provider. @returns the URL of the callback and the state of the request */
async function startSignIn(path: string) {
  const ann = new RespondentBrowser(world.base)
  const { to } = await ann.get(path)
  const reply = await fetch(to!, { redirect: 'manual' })
  return { ann, callback: new URL(reply.headers.get('location')!), state: new URL(to!).searchParams.get('state')! }
}

describe('the callback of an identity provider', () => {
  it('is rejected in another browser than the one that started the sign-in', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { callback } = await startSignIn(path)
    const other = new RespondentBrowser(world.base)
    expect(await other.get(callback.href)).toMatchObject({ status: 400, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(other.cookies.size).toBe(0)
    expect(identity.requests('/token')).toEqual([])
  })

  it('is rejected with another state, the second time, and after 30 minutes', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, callback, state } = await startSignIn(path)
    const forgedState = new URL(callback)
    forgedState.searchParams.set('state', `${state.slice(0, 1)}${'x'.repeat(42)}`)
    expect((await ann.get(forgedState.href)).status).toBe(400)
    const emptyState = new URL(callback)
    emptyState.searchParams.set('state', '')
    expect((await ann.get(emptyState.href)).status).toBe(400)
    expect(await ann.get(callback.href)).toMatchObject({ status: 303, to: path })
    expect((await ann.get(callback.href)).status).toBe(400)
    const expired = await startSignIn(path)
    const startTime = world.now
    world.now = new Date(startTime.getTime() + 1_800_001)
    expect((await expired.ann.get(expired.callback.href)).status).toBe(400)
    world.now = startTime
  })

  it('redirects each tab to the address that this tab requested', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const ann = new RespondentBrowser(world.base)
    const tabs = await Promise.all(['?x=1', '?x=2&collector=0'].map((query) => ann.get(path + query)))
    for (const [index, { to }] of tabs.entries()) {
      const reply = await fetch(to!, { redirect: 'manual' })
      const signedIn = await ann.get(reply.headers.get('location')!)
      // A browser has sixteen slots for pending sign-ins. If both tabs got the same slot, the older tab has to sign in
      // again.
      if (signedIn.status === 303) expect(signedIn.to).toBe(path + ['?x=1', '?x=2&collector=0'][index])
    }
    expect((await ann.get(path)).status).toBe(200)
  })

  it('is rejected by another survey', async () => {
    const first = await surveyWithSignIn(world, identity)
    const second = await surveyWithSignIn(world, identity)
    const { ann, callback } = await startSignIn(first.path)
    callback.pathname = `${second.path}sign-in/`
    expect((await ann.get(callback.href)).status).toBe(303)
    expect((await ann.get(second.path)).to).toContain('/authorization?')
  })

  it('shows that the user is not signed in, with a link to the survey, after access_denied', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, state } = await startSignIn(`${path}?lang=en`)
    const reply = await ann.get(`${path}sign-in/?error=access_denied&state=${state}`)
    expect(reply).toMatchObject({ status: 403, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(reply.text).toContain(`href="${path}?lang=en"`)
    expect(reply.text).not.toContain('Text a')
  })

  it('returns 503 after temporarily_unavailable', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, state } = await startSignIn(path)
    expect((await ann.get(`${path}sign-in/?error=temporarily_unavailable&state=${state}`)).status).toBe(503)
  })

  it('shows that the user is not signed in after an invalid code', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const { ann, callback } = await startSignIn(path)
    callback.searchParams.set('code', 'invalid')
    expect(await ann.get(callback.href)).toMatchObject({ status: 403, text: expect.stringContaining(NOT_SIGNED_IN) })
  })

  it('redirects to the survey if the survey no longer requires a sign-in', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const { ann, callback } = await startSignIn(path)
    const settings = { custom_authentication: { enabled: false } }
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })
    expect(await ann.get(callback.href)).toMatchObject({ status: 303, to: path })
    expect(identity.requests('/token')).toEqual([])
  })
})

describe('a survey with custom authentication', () => {
  it('returns 503 if its settings cannot be decrypted, and rejects a provider without https', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const settings = (endpoint_uri: string) =>
      owner.put(`/api/v3/surveys/${survey.id}/settings/`, {
        json: { custom_authentication: { endpoint_uri, client_secret: null } },
      })
    expect((await settings('http://members.example.org')).status).toBe(400)
    const { services } = world.application
    const secretKey = services.secretKey
    services.secretKey = Buffer.alloc(32, 7)
    const reply = await world.anonymous.get(path)
    services.secretKey = secretKey
    expect(reply).toMatchObject({ status: 503, text: expect.stringContaining('not set up correctly') })
  })

  it('sends its client ID without authentication if there is no client secret', async () => {
    const { owner, survey, path } = await surveyWithSignIn(world, identity)
    const settings = { custom_authentication: { client_secret: null } }
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })
    identity.setReply('/token', replyHandlers.json(200, { access_token: 't' }))
    identity.setReply('/callback', replyHandlers.json(200, {}))
    expect((await new RespondentBrowser(world.base).open(path)).text).toContain('Text a')
    expect(identity.requests('/token')[0]).toMatchObject({
      authorization: undefined,
      form: { client_id: 'survey-service' },
    })
  })
})
