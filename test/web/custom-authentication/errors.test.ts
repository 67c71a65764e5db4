import { describe, expect, it } from '@jest/globals'
import { type ReplyHandler, replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { responsesTo } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey, Respondent } from './survey.ts'

const world = useWorld()

const DENIED = 'You cannot take this survey'
const UNREACHABLE = 'The sign-in service of this survey is not responding.'

describe.each(['sample', 'bearer'] as const)('a system of the kind %s', (kind) => {
  const identity = useIdentityProvider(kind)

  /** How often somebody was sent to sign in. */
  const signIns = () => identity.requests('/authorization').length
  const grants = () => identity.requests('/token').map(({ form }) => form.grant_type)
  const once =
    (first: ReplyHandler): ReplyHandler =>
    (response) => {
      identity.setReply('/callback', undefined)
      first(response)
    }

  async function signedIn() {
    const { survey, path } = await membersSurvey(world, identity)
    const ann = new Respondent(world.base)
    return { survey, path, ann, first: await ann.open(path) }
  }

  describe('what an identity system says', () => {
    it('404: refuses, and its yes opens again', async () => {
      const { ann, path, first, survey } = await signedIn()
      identity.setReply('/callback', replyHandlers.text(404, 'not for you'))
      expect(await ann.open(path)).toMatchObject({ status: 403, text: expect.stringContaining(DENIED) })
      const sent = await ann.fill(first, { a: 'no' })
      expect(sent).toMatchObject({ status: 403, text: expect.stringContaining(DENIED) })
      expect(await responsesTo(world, survey.id)).toEqual([])
      identity.setReply('/callback', replyHandlers.json(404, { error: 'not_found' }))
      expect((await ann.open(path)).text).toContain(DENIED)
      identity.setReply('/callback', undefined)
      expect((await ann.open(path)).text).toContain('Text a')
      expect(signIns()).toBe(1)
    })

    it.each([
      ['400', replyHandlers.json(400, { error: 'invalid_grant' })],
      ['200', replyHandlers.json(200, { error: 'invalid_grant' })],
      ['404', replyHandlers.json(404, { error: 'invalid_grant' })],
      ['200, as a form', replyHandlers.text(200, 'error=invalid_grant&error_description=gone')],
      ['200, as its bare name', replyHandlers.text(200, 'invalid_grant')],
    ])('invalid_grant at status %s: refreshes, and where that is no help signs in again', async (_, manner) => {
      const { ann, path } = await signedIn()
      identity.setReply('/callback', once(manner))
      expect((await ann.open(path)).text).toContain('Text a')
      expect(grants()).toEqual(['authorization_code', 'refresh_token'])
      identity.signOut()
      identity.setReply('/callback', once(manner))
      expect((await ann.open(path)).text).toContain('Text a')
      expect(grants().slice(2)).toEqual(['refresh_token', 'authorization_code'])
      expect(signIns()).toBe(2)
    })

    it('invalid_grant without end: does not go round for ever', async () => {
      const { ann, path, first } = await signedIn()
      identity.setReply('/callback', replyHandlers.json(400, { error: 'invalid_grant' }))
      const stopped = await ann.open(path)
      expect(stopped.status).toBe(403)
      expect(stopped.text).toContain('Sign in again')
      expect(signIns()).toBe(1 + 3)
      expect((await ann.fill(first, { a: '1' })).status).toBe(403)
    })

    it.each([
      ['another error at status 200', replyHandlers.json(200, { error: 'server_error' })],
      ['an error that is no text', replyHandlers.json(200, { error: { code: 7 } })],
      ['garbage that calls itself JSON', replyHandlers.text(200, '<oops>', 'application/json')],
      ['half of its JSON', replyHandlers.text(200, '{"ok": tr')],
      ['a redirect', (response) => response.writeHead(302, { location: '/members/token' }).end()],
      ['status 500', replyHandlers.text(500, 'oops')],
      ['status 401', replyHandlers.text(401, 'who are you?')],
      ['more than anybody reads', replyHandlers.text(200, 'x'.repeat(100_000))],
      ['nothing, for it breaks off', replyHandlers.disconnect],
    ] as [string, ReplyHandler][])('%s: explains, opens nothing, and keeps what was typed', async (_, manner) => {
      const { ann, path, first, survey } = await signedIn()
      identity.setReply('/callback', manner)
      const arrived = await ann.open(path)
      expect(arrived).toMatchObject({ status: 503, text: expect.stringContaining(UNREACHABLE) })
      expect(arrived.text).not.toContain('Text a')
      const sent = await ann.fill(first, { a: 'a "long" <story>' })
      expect(sent).toMatchObject({ status: 503, text: expect.stringContaining(UNREACHABLE) })
      expect(sent.text).toContain('name="a" value="a &quot;long&quot; &lt;story&gt;"')
      expect(sent.text).not.toContain('Text a')
      expect(await responsesTo(world, survey.id)).toEqual([])
      identity.setReply('/callback', undefined)
      expect((await ann.fill(sent)).text).toContain('Text b')
      expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: 'a "long" <story>' } }])
      expect(signIns()).toBe(1)
    })

    it('nothing, for it stalls: explains after a while', async () => {
      const { ann, path } = await signedIn()
      identity.setReply('/callback', replyHandlers.stall)
      expect(await ann.open(path)).toMatchObject({ status: 503, text: expect.stringContaining(UNREACHABLE) })
    }, 20_000)

    it('sign in, where somebody sends answers: keeps them until they have', async () => {
      const { ann, path, first, survey } = await signedIn()
      identity.signOut()
      const sent = await ann.fill(first, { a: 'kept' })
      expect(sent).toMatchObject({ status: 403, text: expect.stringContaining('Sign in again') })
      expect(sent.text).toContain(`<a class="button" href="${path}" target="_blank"`)
      expect(await responsesTo(world, survey.id)).toEqual([])
      expect((await ann.fill(sent)).text).toContain('Sign in again')
      await ann.open(path)
      expect((await ann.fill(sent)).text).toContain('Text b')
      expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { a: 'kept' } }])
    })
  })

  describe('tokens', () => {
    it('are refreshed when they have run out, once, however many ask', async () => {
      identity.expiresIn = 60
      const { ann, path } = await signedIn()
      const before = world.now
      world.now = new Date(before.getTime() + 61_000)
      const pages = await Promise.all([1, 2, 3, 4].map(() => ann.get(path)))
      expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(grants()).toEqual(['authorization_code', 'refresh_token'])
      expect(identity.requests('/token')[1]!.form).toEqual({
        grant_type: 'refresh_token',
        client_id: 'survey-service',
        redirect_uri: `${world.base}${path}sign-in/`,
        refresh_token: expect.any(String),
      })
      world.now = before
    })

    it('that cannot be refreshed are asked with until the system knows them no more', async () => {
      identity.refreshes = false
      identity.expiresIn = 60
      const { ann, path } = await signedIn()
      const before = world.now
      world.now = new Date(before.getTime() + 61_000)
      expect((await ann.get(path)).status).toBe(200)
      identity.expire()
      expect((await ann.open(path)).text).toContain('Text a')
      expect(grants()).toEqual(['authorization_code', 'authorization_code'])
      world.now = before
    })

    it('are forgotten after a day', async () => {
      const { ann, path } = await signedIn()
      const before = world.now
      world.now = new Date(before.getTime() + 86_400_000)
      expect((await ann.open(path)).text).toContain('Text a')
      expect(grants()).toEqual(['authorization_code', 'authorization_code'])
      world.now = before
    })

    it.each([
      ['no JSON', replyHandlers.text(200, '<html>')],
      ['no token', replyHandlers.json(200, {})],
      ['a token of another kind', replyHandlers.json(200, { access_token: 'x', token_type: 'mac' })],
      ['an error of ours', replyHandlers.json(401, { error: 'invalid_client' })],
      ['an error at status 200', replyHandlers.json(200, { access_token: 'x', error: 'server_error' })],
      ['nothing, for it breaks off', replyHandlers.disconnect],
    ] as [string, ReplyHandler][])('asked for, it answers %s: explains, and opens nothing', async (_, manner) => {
      const { path } = await membersSurvey(world, identity)
      identity.setReply('/token', manner)
      const reply = await new Respondent(world.base).open(path)
      expect(reply).toMatchObject({ status: 503, text: expect.stringContaining(UNREACHABLE) })
      expect(reply.text).toContain(`href="${path}"`)
    })

    it.each([
      ['as a form', replyHandlers.text(200, 'access_token=t&token_type=bearer')],
      ['without a type', replyHandlers.json(200, { access_token: 't' })],
      [
        'that say more than was asked',
        replyHandlers.json(201, { access_token: 't', id_token: 'x', expires_in: 'soon' }),
      ],
    ] as [string, ReplyHandler][])('%s are good enough', async (_, manner) => {
      const { path } = await membersSurvey(world, identity)
      identity.setReply('/token', manner)
      identity.setReply('/callback', replyHandlers.text(200, 'OK', 'text/html'))
      expect((await new Respondent(world.base).open(path)).text).toContain('Text a')
      expect(identity.requests('/callback')[0]!.form.access_token).toBe('t')
    })
  })
})
