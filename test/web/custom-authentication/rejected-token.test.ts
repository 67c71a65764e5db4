import { describe, expect, it } from '@jest/globals'
import { type ReplyHandler, replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { storedResponses } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()
const identity = useIdentityProvider('sample')

const grantTypes = () => identity.requests('/token').map(({ form }) => form.grant_type)
const countSignIns = () => identity.requests('/authorization').length

/** Rejects the access token in the first `count` requests to `callback`. */
function reject(reply: ReplyHandler, count: number): void {
  let rejected = 0
  identity.setReply('/callback', (response) => {
    rejected += 1
    if (rejected === count) identity.setReply('/callback', undefined)
    reply(response)
  })
}

async function openSignedIn() {
  const { survey, path, owner } = await surveyWithSignIn(world, identity)
  const ann = new RespondentBrowser(world.base)
  return { survey, path, owner, ann, first: await ann.open(path) }
}

// A provider replies 401 to both kinds of credentials. The other replies come from the first request.
const REPLIES: [string, number, ReplyHandler][] = [
  ['401 without a body, as Keycloak', 2, replyHandlers.text(401, '')],
  ['401 with another code, as Hydra', 2, replyHandlers.json(401, { error: 'request_unauthorized' })],
  ['401 with invalid_token', 2, replyHandlers.json(401, { error: 'invalid_token' })],
  ['401 with a web page', 2, replyHandlers.text(401, '<html>Unauthorized</html>', 'text/html')],
  ['invalid_token with status 403', 1, replyHandlers.json(403, { error: 'invalid_token' })],
  ['invalid_token with status 200', 1, replyHandlers.json(200, { error: 'invalid_token' })],
  ['an inactive token', 1, replyHandlers.json(200, { active: false })],
]

describe.each(REPLIES)('a token that the identity provider rejects with %s', (_, count, reply) => {
  it('is refreshed once [spec 12.4]', async () => {
    const { ann, path } = await openSignedIn()
    reject(reply, count)
    expect((await ann.open(path)).text).toContain('Text a')
    expect(grantTypes()).toEqual(['authorization_code', 'refresh_token'])
    expect(countSignIns()).toBe(1)
  })

  it('leads to a new sign-in if it cannot be refreshed, and keeps submitted answers', async () => {
    identity.refreshes = false
    const { ann, path, first, survey } = await openSignedIn()
    reject(reply, count)
    const submitted = await ann.submit(first, { a: 'kept' })
    expect(submitted).toMatchObject({ status: 403, text: expect.stringContaining('Sign in again') })
    expect(submitted.text).toContain(`<a class="button" href="${path}" target="_blank"`)
    expect(await storedResponses(world, survey.id)).toEqual([])
    expect((await ann.open(path)).text).toContain('Text a')
    expect((await ann.submit(submitted)).text).toContain('Text b')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'kept' } }])
    expect(grantTypes()).toEqual(['authorization_code', 'authorization_code'])
  })

  it('leads to three sign-ins at most', async () => {
    const { ann, path } = await openSignedIn()
    identity.setReply('/callback', reply)
    expect(await ann.open(path)).toMatchObject({ status: 403, text: expect.stringContaining('Sign in again') })
    expect(countSignIns()).toBe(1 + 3)
  })
})

describe('a refused refresh', () => {
  it.each([
    ['invalid_grant', replyHandlers.json(400, { error: 'invalid_grant' })],
    ['unauthorized_client', replyHandlers.json(400, { error: 'unauthorized_client' })],
    ['status 404', replyHandlers.text(404, 'no')],
  ] as [string, ReplyHandler][])('with %s leads to a new sign-in', async (_, reply) => {
    const { ann, path } = await openSignedIn()
    reject(replyHandlers.text(401, ''), 2)
    identity.setReply('/token', (response) => {
      identity.setReply('/token', undefined)
      reply(response)
    })
    expect((await ann.open(path)).text).toContain('Text a')
    expect(grantTypes()).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  it('by a failing provider asks the respondent to try again later', async () => {
    const { ann, path } = await openSignedIn()
    reject(replyHandlers.text(401, ''), 2)
    identity.setReply('/token', replyHandlers.text(500, 'oops'))
    expect(await ann.open(path)).toMatchObject({ status: 503, text: expect.stringContaining('is not responding') })
    identity.setReply('/token', undefined)
    expect((await ann.open(path)).text).toContain('Text a')
    expect(countSignIns()).toBe(1)
  })
})

describe('a permission', () => {
  it.each([
    ['an empty reply', replyHandlers.text(200, '')],
    ['OK, labelled as HTML', replyHandlers.text(200, 'OK', 'text/html; charset=UTF-8')],
    ['JSON, labelled as HTML as by PHP', replyHandlers.text(200, '{"note": "<b>"}', 'text/html; charset=UTF-8')],
    ['an active token', replyHandlers.json(200, { active: true })],
    ['other JSON', replyHandlers.json(201, { active: 'false', sub: 'ann' })],
  ] as [string, ReplyHandler][])('can be %s', async (_, reply) => {
    const { ann, path } = await openSignedIn()
    identity.setReply('/callback', reply)
    expect((await ann.open(path)).text).toContain('Text a')
  })
})

describe('the scope of the authorization request', () => {
  const scopeOf = () => identity.requests('/authorization').at(-1)!.form.scope

  it('is absent by default, and the setting of the owner otherwise', async () => {
    const { path, owner, survey } = await surveyWithSignIn(world, identity)
    const open = async () => expect((await new RespondentBrowser(world.base).open(path)).text).toContain('Text a')
    await open()
    expect(scopeOf()).toBeUndefined()
    const address = `/api/v3/surveys/${survey.id}/settings/`
    for (const [scope, stored] of [
      ['openid profile', 'openid profile'],
      ['  openid   https://x.example/a#b ', 'openid https://x.example/a#b'],
    ]) {
      const { status, body } = await owner.put(address, { json: { custom_authentication: { scope } } })
      expect([status, body.custom_authentication.scope]).toEqual([200, stored])
      await open()
      expect(scopeOf()).toBe(stored)
    }
    for (const scope of ['', null]) {
      const { body } = await owner.put(address, { json: { custom_authentication: { scope } } })
      expect(body.custom_authentication.scope).toBe('')
    }
    await open()
    expect(scopeOf()).toBeUndefined()
  })

  it.each(['a"b', 'a\\b', 'ä', 'a\tb', 'a\nb'])('cannot be %j', async (scope) => {
    const { owner, survey } = await surveyWithSignIn(world, identity)
    const reply = await owner.put(`/api/v3/surveys/${survey.id}/settings/`, {
      json: { custom_authentication: { scope } },
    })
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toMatchObject([{ field: 'custom_authentication.scope', code: 'invalid_setting' }])
  })
})
