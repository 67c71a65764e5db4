import { describe, expect, it } from '@jest/globals'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey, Respondent } from './survey.ts'

const world = useWorld()
const identity = useIdentityProvider('bearer')

const NOT_SIGNED_IN = 'You are not signed in'

/** Somebody who has just signed in, before they are back. */
async function onTheWay(path: string) {
  const ann = new Respondent(world.base)
  const { to } = await ann.get(path)
  const reply = await fetch(to!, { redirect: 'manual' })
  return { ann, back: new URL(reply.headers.get('location')!), state: new URL(to!).searchParams.get('state')! }
}

describe('the way back from an identity system', () => {
  it('is for the browser that went there', async () => {
    const { path } = await membersSurvey(world, identity)
    const { back } = await onTheWay(path)
    const other = new Respondent(world.base)
    expect(await other.get(back.href)).toMatchObject({ status: 400, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(other.cookies.size).toBe(0)
    expect(identity.requests('/token')).toEqual([])
  })

  it('takes no state but its own, none twice, and none too late', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, back, state } = await onTheWay(path)
    const forged = new URL(back)
    forged.searchParams.set('state', `${state.slice(0, 1)}${'x'.repeat(42)}`)
    expect((await ann.get(forged.href)).status).toBe(400)
    const empty = new URL(back)
    empty.searchParams.set('state', '')
    expect((await ann.get(empty.href)).status).toBe(400)
    expect(await ann.get(back.href)).toMatchObject({ status: 303, to: path })
    expect((await ann.get(back.href)).status).toBe(400)
    const late = await onTheWay(path)
    const before = world.now
    world.now = new Date(before.getTime() + 1_800_001)
    expect((await late.ann.get(late.back.href)).status).toBe(400)
    world.now = before
  })

  it('leads to what was asked for, in tabs side by side', async () => {
    const { path } = await membersSurvey(world, identity)
    const ann = new Respondent(world.base)
    const tabs = await Promise.all(['?x=1', '?x=2&collector=0'].map((query) => ann.get(path + query)))
    for (const [index, { to }] of tabs.entries()) {
      const reply = await fetch(to!, { redirect: 'manual' })
      const back = await ann.get(reply.headers.get('location')!)
      // One in sixteen pairs of tabs shares a place in the browser; then the older one asks to sign in again.
      if (back.status === 303) expect(back.to).toBe(path + ['?x=1', '?x=2&collector=0'][index])
    }
    expect((await ann.get(path)).status).toBe(200)
  })

  it('goes by no other survey', async () => {
    const one = await membersSurvey(world, identity)
    const two = await membersSurvey(world, identity)
    const { ann, back } = await onTheWay(one.path)
    back.pathname = `${two.path}sign-in/`
    expect((await ann.get(back.href)).status).toBe(303)
    expect((await ann.get(two.path)).to).toContain('/authorization?')
  })

  it('access_denied: says so, and offers to try again', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, state } = await onTheWay(`${path}?lang=en`)
    const reply = await ann.get(`${path}sign-in/?error=access_denied&state=${state}`)
    expect(reply).toMatchObject({ status: 403, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(reply.text).toContain(`href="${path}?lang=en"`)
    expect(reply.text).not.toContain('Text a')
  })

  it('temporarily_unavailable: explains', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, state } = await onTheWay(path)
    expect((await ann.get(`${path}sign-in/?error=temporarily_unavailable&state=${state}`)).status).toBe(503)
  })

  it('a code that is worth nothing: says that the sign-in was not completed', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, back } = await onTheWay(path)
    back.searchParams.set('code', 'made-up')
    expect(await ann.get(back.href)).toMatchObject({ status: 403, text: expect.stringContaining(NOT_SIGNED_IN) })
  })

  it('a survey that asks for no sign-in any more opens', async () => {
    const { owner, survey, path } = await membersSurvey(world, identity)
    const { ann, back } = await onTheWay(path)
    const settings = { custom_authentication: { enabled: false } }
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })
    expect(await ann.get(back.href)).toMatchObject({ status: 303, to: path })
    expect(identity.requests('/token')).toEqual([])
  })
})

describe('a survey that cannot ask', () => {
  it('opens to nobody', async () => {
    const { owner, survey, path } = await membersSurvey(world, identity)
    const settings = (endpoint_uri: string) =>
      owner.put(`/api/v3/surveys/${survey.id}/settings/`, {
        json: { custom_authentication: { endpoint_uri, client_secret: null } },
      })
    expect((await settings('http://members.example.org')).status).toBe(400)
    const { services } = world.application
    const secretKey = services.secretKey
    services.secretKey = Buffer.alloc(32, 7)
    const resealed = await world.anonymous.get(path)
    services.secretKey = secretKey
    expect(resealed).toMatchObject({ status: 503, text: expect.stringContaining('is not responding') })
  })

  it('says who it is where there is no secret', async () => {
    const { owner, survey, path } = await membersSurvey(world, identity)
    const settings = { custom_authentication: { client_secret: null } }
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })
    identity.setReply('/token', replyHandlers.json(200, { access_token: 't' }))
    identity.setReply('/callback', replyHandlers.json(200, {}))
    expect((await new Respondent(world.base).open(path)).text).toContain('Text a')
    expect(identity.requests('/token')[0]).toMatchObject({
      authorization: undefined,
      form: { client_id: 'survey-service' },
    })
  })
})
