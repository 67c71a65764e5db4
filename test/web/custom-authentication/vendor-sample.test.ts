import { describe, expect, it } from '@jest/globals'
import { pino } from 'pino'
import { replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { responsesTo } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey, Respondent } from './survey.ts'

const lines: { msg: string; survey: number }[] = []
const world = useWorld({ log: pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) }) })

const NOT_SIGNED_IN = 'You are not signed in'

/** Sends a browser to sign in. @returns where it would come back to */
async function onTheWay(path: string, ann = new Respondent(world.base)) {
  const { to } = await ann.get(path)
  const reply = await fetch(to!, { redirect: 'manual' })
  return { ann, to: new URL(to!), back: new URL(reply.headers.get('location')!) }
}

describe("an identity system written after the original vendor's sample", () => {
  const identity = useIdentityProvider('sample')

  it('opens the response that its owner made for one of its users, and no other', async () => {
    const { owner, survey, path } = await membersSurvey(world, identity)
    const made = async () => (await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: {} })).body
    const [mine, others] = [await made(), await made()]
    identity.responses = [mine.key]
    const ann = new Respondent(world.base)
    const opened = await ann.open(`${path}${mine.key}/`)
    expect(opened.text).toContain('Text a')
    expect(opened.steps).toEqual([
      expect.stringMatching(`^${identity.endpoint}/authorization\\?response_type=code&client_id=survey-service&`),
      expect.stringMatching(/\/sign-in\/\?code=[0-9a-f]+$/),
      `${path}${mine.key}/`,
    ])
    expect(identity.requests('/callback')).toEqual([
      {
        path: '/callback',
        authorization: expect.stringMatching(/^Basic /),
        form: {
          access_token: expect.any(String),
          method: 'access_response',
          survey: String(survey.id),
          response: mine.key,
        },
      },
    ])
    const again = await ann.open(`${path}${mine.key}/`)
    expect(again).toMatchObject({ status: 200, steps: [] })
    const end = await ann.fill(await ann.fill(again, { a: 'one' }), { b: 'two' })
    expect(end.text).toContain('Thank you!')
    expect((await ann.open(`${path}${others.key}/`)).status).toBe(403)
    expect((await ann.open(path)).text).toContain('You cannot take this survey')
    expect(await responsesTo(world, survey.id)).toMatchObject([
      { answers: { a: 'one', b: 'two' }, completed: 1 },
      { answers: {}, completed: 0 },
    ])
  })

  it('ends the session when its user signs out there: invalid_grant comes with status 200', async () => {
    const { path } = await membersSurvey(world, identity)
    const ann = new Respondent(world.base)
    await ann.open(path)
    identity.signOut()
    const page = await ann.open(path)
    expect(page.steps[0]).toContain('/authorization?')
    expect(page.text).toContain('Text a')
  })

  it('gets a new token with the same refresh token, time and again', async () => {
    identity.expiresIn = 60
    const { path } = await membersSurvey(world, identity)
    const ann = new Respondent(world.base)
    await ann.open(path)
    const before = world.now
    for (const minutes of [2, 4]) {
      world.now = new Date(before.getTime() + minutes * 60_000)
      expect(await ann.open(path)).toMatchObject({ status: 200, steps: [] })
    }
    world.now = before
    expect(identity.requests('/token').map(({ form }) => form.grant_type)).toEqual([
      'authorization_code',
      'refresh_token',
      'refresh_token',
    ])
  })

  it('is named in the log once per survey for sending no state back', async () => {
    const { path, survey } = await membersSurvey(world, identity)
    for (let person = 0; person < 3; person += 1) await new Respondent(world.base).open(path)
    const said = lines.filter((line) => line.survey === survey.id)
    expect(said).toMatchObject([
      { msg: 'identity system does not send state back', endpoint: identity.endpoint, survey: survey.id },
    ])
  })
})

describe('a return without state', () => {
  const identity = useIdentityProvider('sample')

  it('is accepted only in the browser that began, once, and for half an hour', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, back } = await onTheWay(path)
    const other = new Respondent(world.base)
    expect(await other.get(back.href)).toMatchObject({ status: 400, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(other.cookies.size).toBe(0)
    expect(identity.requests('/token')).toEqual([])
    expect(await ann.get(back.href)).toMatchObject({ status: 303, to: path })
    expect((await ann.get(back.href)).status).toBe(400)
    expect(identity.requests('/token')).toHaveLength(1)
    const late = await onTheWay(path)
    const before = world.now
    world.now = new Date(before.getTime() + 1_800_001)
    expect((await late.ann.get(late.back.href)).status).toBe(400)
    world.now = before
  })

  it('is not accepted with a state that is wrong, empty or sent twice, and the right one stays good', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, to, back } = await onTheWay(path)
    const state = to.searchParams.get('state')!
    for (const wrong of [`state=${state[0]}${'x'.repeat(42)}`, 'state=', 'state=x', 'state=&state='])
      expect((await ann.get(`${back.href}&${wrong}`)).status).toBe(400)
    expect(identity.requests('/token')).toEqual([])
    expect((await ann.get(back.href)).status).toBe(303)
  })

  it('needs a code or an error', async () => {
    const { path } = await membersSurvey(world, identity)
    const { ann, back } = await onTheWay(`${path}?source=x`)
    expect((await ann.get(back.pathname)).status).toBe(400)
    const denied = await ann.get(`${back.pathname}?error=access_denied`)
    expect(denied).toMatchObject({ status: 403, text: expect.stringContaining(`href="${path}?source=x"`) })
    expect((await ann.get(back.href)).status).toBe(400)
  })

  it('belongs to the youngest of several sign-ins, and each of them comes back once', async () => {
    const { path } = await membersSurvey(world, identity)
    const ann = new Respondent(world.base)
    const tabs = []
    for (const tab of [1, 2]) {
      tabs.push(await onTheWay(`${path}?tab=${tab}`, ann))
      world.now = new Date(world.now.getTime() + 1000)
    }
    const waiting = [...ann.cookies.keys()].filter((name) => name.startsWith('sign_in_')).length
    expect((await ann.get(tabs[1]!.back.href)).to).toBe(`${path}?tab=2`)
    // One in sixteen pairs of tabs shares a place in the browser: then the older one is gone.
    if (waiting === 2) expect((await ann.get(tabs[0]!.back.href)).to).toBe(`${path}?tab=1`)
    expect((await ann.get(tabs[0]!.back.href)).status).toBe(400)
  })

  it('is nobody’s where collectors with systems of their own wait side by side', async () => {
    const { owner, survey, path } = await membersSurvey(world, identity)
    const settings = { custom_authentication: { endpoint_uri: `${identity.endpoint}/moved`, client_secret: null } }
    const json = { name: 'Another', settings }
    const { body: second } = await owner.post(`/api/v3/surveys/${survey.id}/collectors/`, { json })
    // The place of a sign-in in the browser is one of sixteen, by chance: until two differ.
    const bothWaiting = async (): Promise<Awaited<ReturnType<typeof onTheWay>>> => {
      const ann = new Respondent(world.base)
      await ann.get(`${path}?collector=${second.id}`)
      const went = await onTheWay(path, ann)
      return ann.cookies.size > 1 ? went : bothWaiting()
    }
    const { ann, back } = await bothWaiting()
    expect((await ann.get(back.href)).status).toBe(400)
    expect(identity.requests('/token')).toEqual([])
    expect((await ann.open(path)).text).toContain('Text a')
  })
})

describe('a system that sends state back', () => {
  const identity = useIdentityProvider('bearer')

  it('is never left without it again: a forged return would leave it out', async () => {
    const { path, survey } = await membersSurvey(world, identity)
    await new Respondent(world.base).open(path)
    const { ann, back } = await onTheWay(path)
    back.searchParams.delete('state')
    expect(await ann.get(back.href)).toMatchObject({ status: 400, text: expect.stringContaining(NOT_SIGNED_IN) })
    expect(identity.requests('/token')).toHaveLength(1)
    expect(lines.filter((line) => line.survey === survey.id)).toMatchObject([
      { msg: 'sign-in without state refused: the identity system sent it back for others' },
    ])
    expect((await ann.open(path)).text).toContain('Text a')
  })

  it('is asked with Basic, and after a 401 once with Bearer', async () => {
    const { path } = await membersSurvey(world, identity)
    await new Respondent(world.base).open(path)
    const [first, second, ...more] = identity.requests('/callback')
    expect(first).toMatchObject({ authorization: expect.stringMatching(/^Basic /) })
    expect(second).toMatchObject({ authorization: `Bearer ${first!.form.access_token}` })
    expect(second!.form).not.toHaveProperty('access_token')
    expect(more).toEqual([])
  })

  it('that answers 401 and invalid_grant to both leads to sign in again', async () => {
    const { path } = await membersSurvey(world, identity)
    const ann = new Respondent(world.base)
    await ann.open(path)
    identity.silent = false
    identity.setReply('/callback', replyHandlers.json(401, { error: 'invalid_grant' }))
    expect((await ann.open(path)).text).toContain('Members only')
  })
})
