import { describe, expect, it } from '@jest/globals'
import { type ReplyHandler, replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { storedResponses } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()

const DENIED = 'You cannot take this survey'
const UNREACHABLE = 'The sign-in service of this survey is not responding.'
const MISCONFIGURED = 'This survey is not set up correctly.'

describe.each(['sample', 'bearer'] as const)('an identity provider of the kind %s', (kind) => {
  const identity = useIdentityProvider(kind)

  const countSignIns = () => identity.requests('/authorization').length
  const grantTypes = () => identity.requests('/token').map(({ form }) => form.grant_type)
  const replyOnce =
    (reply: ReplyHandler): ReplyHandler =>
    (response) => {
      identity.setReply('/callback', undefined)
      reply(response)
    }

  async function openSignedIn() {
    const { survey, path } = await surveyWithSignIn(world, identity)
    const ann = new RespondentBrowser(world.base)
    return { survey, path, ann, first: await ann.open(path) }
  }

  describe('its reply about access', () => {
    it('denies access with 404, and gives access again with 200 [spec 12.4]', async () => {
      const { ann, path, first, survey } = await openSignedIn()
      identity.setReply('/callback', replyHandlers.text(404, 'not for you'))
      expect(await ann.open(path)).toMatchObject({ status: 403, text: expect.stringContaining(DENIED) })
      const submitted = await ann.submit(first, { a: 'no' })
      expect(submitted).toMatchObject({ status: 403, text: expect.stringContaining(DENIED) })
      expect(await storedResponses(world, survey.id)).toEqual([])
      identity.setReply('/callback', replyHandlers.json(404, { error: 'not_found' }))
      expect((await ann.open(path)).text).toContain(DENIED)
      identity.setReply('/callback', undefined)
      expect((await ann.open(path)).text).toContain('Text a')
      expect(countSignIns()).toBe(1)
    })

    it.each([
      ['400', replyHandlers.json(400, { error: 'invalid_grant' })],
      ['200', replyHandlers.json(200, { error: 'invalid_grant' })],
      ['404', replyHandlers.json(404, { error: 'invalid_grant' })],
      ['200 in form encoding', replyHandlers.text(200, 'error=invalid_grant&error_description=gone')],
      ['200 as plain text', replyHandlers.text(200, 'invalid_grant')],
    ])(
      'refreshes the token after invalid_grant with status %s, and then requires a new sign-in [spec 12.4]',
      async (_, reply) => {
        const { ann, path } = await openSignedIn()
        identity.setReply('/callback', replyOnce(reply))
        expect((await ann.open(path)).text).toContain('Text a')
        expect(grantTypes()).toEqual(['authorization_code', 'refresh_token'])
        identity.signOut()
        identity.setReply('/callback', replyOnce(reply))
        expect((await ann.open(path)).text).toContain('Text a')
        expect(grantTypes().slice(2)).toEqual(['refresh_token', 'authorization_code'])
        expect(countSignIns()).toBe(2)
      },
    )

    it('stops after three sign-ins if invalid_grant is returned repeatedly', async () => {
      const { ann, path, first } = await openSignedIn()
      identity.setReply('/callback', replyHandlers.json(400, { error: 'invalid_grant' }))
      const rejected = await ann.open(path)
      expect(rejected.status).toBe(403)
      expect(rejected.text).toContain('Sign in again')
      expect(countSignIns()).toBe(1 + 3)
      expect((await ann.submit(first, { a: '1' })).status).toBe(403)
    })

    it.each([
      ['server_error at status 200', UNREACHABLE, replyHandlers.json(200, { error: 'server_error' })],
      ['another error at status 200', MISCONFIGURED, replyHandlers.json(200, { error: 'invalid_client' })],
      ['an error that is not a string', MISCONFIGURED, replyHandlers.json(200, { error: { code: 7 } })],
      ['invalid JSON', MISCONFIGURED, replyHandlers.text(200, '<oops>', 'application/json')],
      ['truncated JSON', MISCONFIGURED, replyHandlers.text(200, '{"ok": tr')],
      ['a web page', MISCONFIGURED, replyHandlers.text(200, '<!doctype html><title>Sign in</title>', 'text/html')],
      ['a web page labelled as text', MISCONFIGURED, replyHandlers.text(200, '\n<html><body>Sign in')],
      [
        'a fragment of a web page',
        MISCONFIGURED,
        replyHandlers.text(200, 'Please <a href="/">sign in</a>', 'text/html'),
      ],
      ['a redirect', MISCONFIGURED, (response) => response.writeHead(302, { location: '/members/token' }).end()],
      ['a permanent redirect', MISCONFIGURED, (response) => response.writeHead(308, { location: '/x' }).end()],
      ['status 403', MISCONFIGURED, replyHandlers.json(403, { error: 'insufficient_scope' })],
      ['status 405', MISCONFIGURED, replyHandlers.text(405, 'no')],
      ['status 500', UNREACHABLE, replyHandlers.text(500, 'oops')],
      ['status 502 with a web page', UNREACHABLE, replyHandlers.text(502, '<html>Bad gateway</html>', 'text/html')],
      ['status 429', UNREACHABLE, replyHandlers.text(429, 'slow down')],
      ['a body that is too large', MISCONFIGURED, replyHandlers.text(200, 'x'.repeat(100_000))],
      ['a closed connection', UNREACHABLE, replyHandlers.disconnect],
    ] as [string, string, ReplyHandler][])(
      'returns 503 and keeps the entered values after %s',
      async (_, shown, reply) => {
        const { ann, path, first, survey } = await openSignedIn()
        identity.setReply('/callback', reply)
        const page = await ann.open(path)
        expect(page).toMatchObject({ status: 503, text: expect.stringContaining(shown) })
        expect(page.text).not.toContain('Text a')
        const submitted = await ann.submit(first, { a: 'a "long" <text>' })
        expect(submitted).toMatchObject({ status: 503, text: expect.stringContaining(shown) })
        expect(submitted.text).toContain('name="a" value="a &quot;long&quot; &lt;text&gt;"')
        expect(submitted.text).not.toContain('Text a')
        expect(await storedResponses(world, survey.id)).toEqual([])
        identity.setReply('/callback', undefined)
        expect((await ann.submit(submitted)).text).toContain('Text b')
        expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'a "long" <text>' } }])
        expect(countSignIns()).toBe(1)
      },
    )

    it('returns 503 if the provider does not reply', async () => {
      const { ann, path } = await openSignedIn()
      identity.setReply('/callback', replyHandlers.stall)
      expect(await ann.open(path)).toMatchObject({ status: 503, text: expect.stringContaining(UNREACHABLE) })
    }, 20_000)

    it('keeps submitted answers until the respondent has signed in again', async () => {
      const { ann, path, first, survey } = await openSignedIn()
      identity.signOut()
      const submitted = await ann.submit(first, { a: 'kept' })
      expect(submitted).toMatchObject({ status: 403, text: expect.stringContaining('Sign in again') })
      expect(submitted.text).toContain(`<a class="button" href="${path}" target="_blank"`)
      expect(await storedResponses(world, survey.id)).toEqual([])
      expect((await ann.submit(submitted)).text).toContain('Sign in again')
      await ann.open(path)
      expect((await ann.submit(submitted)).text).toContain('Text b')
      expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'kept' } }])
    })
  })

  describe('tokens', () => {
    it('are refreshed when they have expired, only once by concurrent requests [spec 12.2]', async () => {
      identity.expiresIn = 60
      const { ann, path } = await openSignedIn()
      const startTime = world.now
      world.now = new Date(startTime.getTime() + 61_000)
      const pages = await Promise.all([1, 2, 3, 4].map(() => ann.get(path)))
      expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(grantTypes()).toEqual(['authorization_code', 'refresh_token'])
      expect(identity.requests('/token')[1]!.form).toEqual({
        grant_type: 'refresh_token',
        client_id: 'survey-service',
        redirect_uri: `${world.base}${path}sign-in/`,
        refresh_token: expect.any(String),
      })
      world.now = startTime
    })

    it('without a refresh token are used until the provider rejects them', async () => {
      identity.refreshes = false
      identity.expiresIn = 60
      const { ann, path } = await openSignedIn()
      const startTime = world.now
      world.now = new Date(startTime.getTime() + 61_000)
      expect((await ann.get(path)).status).toBe(200)
      identity.expire()
      expect((await ann.open(path)).text).toContain('Text a')
      expect(grantTypes()).toEqual(['authorization_code', 'authorization_code'])
      world.now = startTime
    })

    it('expire after a day', async () => {
      const { ann, path } = await openSignedIn()
      const startTime = world.now
      world.now = new Date(startTime.getTime() + 86_400_000)
      expect((await ann.open(path)).text).toContain('Text a')
      expect(grantTypes()).toEqual(['authorization_code', 'authorization_code'])
      world.now = startTime
    })

    it.each([
      ['not JSON', MISCONFIGURED, replyHandlers.text(200, '<html>')],
      ['JSON without a token', MISCONFIGURED, replyHandlers.json(200, {})],
      ['a token of another kind', MISCONFIGURED, replyHandlers.json(200, { access_token: 'x', token_type: 'mac' })],
      ['invalid_client', MISCONFIGURED, replyHandlers.json(401, { error: 'invalid_client' })],
      ['a redirect', MISCONFIGURED, (response) => response.writeHead(307, { location: '/members/token' }).end()],
      ['status 404', MISCONFIGURED, replyHandlers.text(404, 'nothing here')],
      ['status 500', UNREACHABLE, replyHandlers.text(500, 'oops')],
      ['an error at status 200', UNREACHABLE, replyHandlers.json(200, { access_token: 'x', error: 'server_error' })],
      ['a closed connection', UNREACHABLE, replyHandlers.disconnect],
    ] as [string, string, ReplyHandler][])(
      'return 503 if the reply of the token endpoint is %s',
      async (_, shown, reply) => {
        const { path } = await surveyWithSignIn(world, identity)
        identity.setReply('/token', reply)
        const page = await new RespondentBrowser(world.base).open(path)
        expect(page).toMatchObject({ status: 503, text: expect.stringContaining(shown) })
        expect(page.text).toContain(`href="${path}"`)
      },
    )

    it.each([
      ['in form encoding', replyHandlers.text(200, 'access_token=t&token_type=bearer')],
      ['without a type', replyHandlers.json(200, { access_token: 't' })],
      ['with the type null', replyHandlers.json(200, { access_token: 't', token_type: null })],
      ['with additional members', replyHandlers.json(201, { access_token: 't', id_token: 'x', expires_in: 'soon' })],
    ] as [string, ReplyHandler][])('are accepted %s', async (_, reply) => {
      const { path } = await surveyWithSignIn(world, identity)
      identity.setReply('/token', reply)
      identity.setReply('/callback', replyHandlers.text(200, 'OK', 'text/html'))
      expect((await new RespondentBrowser(world.base).open(path)).text).toContain('Text a')
      expect(identity.requests('/callback')[0]!.form.access_token).toBe('t')
    })
  })
})
