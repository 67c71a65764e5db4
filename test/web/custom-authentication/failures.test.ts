import { describe, expect, it } from '@jest/globals'
import { signInAs } from '../../support/http-browser.ts'
import { type ReplyHandler, replyHandlers, useIdentityProvider } from '../../support/identity.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()
const identity = useIdentityProvider('sample')

async function ownedSurvey(settings = {}) {
  const { owner, survey, path } = await surveyWithSignIn(world, identity, settings)
  const browser = await signInAs(owner)
  const page = `/account/surveys/${survey.id}/edit/settings/sign-in/`
  return {
    owner,
    survey,
    path,
    page,
    browser,
    show: async () => (await browser.get(page)).text,
    test: async () => (await browser.post(page)).text,
  }
}

/** Opens the survey as a new respondent. @returns the number that the page shows, if any */
async function fail(path: string): Promise<string | undefined> {
  const { text } = await new RespondentBrowser(world.base).open(path)
  return /the number (\d{6})\./.exec(text)?.[1]
}

describe('the last failures of sign-in', () => {
  it('are shown to the owner with step, status, code, description and a hint', async () => {
    const { path, show, browser, survey } = await ownedSurvey()
    expect((await browser.get(`/account/surveys/${survey.id}/edit/settings/`)).text).toContain('edit/settings/sign-in/')
    expect(await show()).toContain('No sign-in has failed')
    const description = 'Use <b>client_secret_basic</b>.\n\u202eBye'
    identity.setReply('/token', replyHandlers.json(401, { error: 'invalid_client', error_description: description }))
    const number = await fail(path)
    expect(number).toMatch(/^\d{6}$/)
    const text = await show()
    for (const shown of [
      number!,
      'HTTP 401, invalid_client',
      'client secret',
      'Use &lt;b&gt;client_secret_basic&lt;/b&gt;. Bye',
    ])
      expect(text).toContain(shown)
  })

  it('are listed by the API: listSignInFailures', async () => {
    const { path, owner, survey } = await ownedSurvey()
    const uri = `/api/v3/surveys/${survey.id}/sign_in_failures/`
    expect((await owner.get(uri)).body).toMatchObject({ count: 0, results: [] })
    const description = 'Use client_secret_basic.'
    identity.setReply('/token', replyHandlers.json(401, { error: 'invalid_client', error_description: description }))
    const number = Number(await fail(path))
    await fail(path)
    const at = world.now.toISOString()
    expect((await owner.get(uri)).body.results).toEqual([
      {
        number,
        step: 'token',
        status: 401,
        code: 'invalid_client',
        description,
        reason: expect.stringContaining('invalid_client'),
        count: 2,
        first_at: at,
        last_at: at,
      },
    ])
    world.now = new Date(world.now.getTime() + 60_000)
    identity.setReply('/token', replyHandlers.text(404, 'no'))
    await fail(path)
    const first = (await owner.get(`${uri}?page_size=1`)).body
    expect(first).toMatchObject({ count: 2, results: [{ status: 404, code: null, description: null }] })
    expect((await owner.get(first.next)).body.results[0].number).toBe(number)
    const stranger = await world.person()
    expect((await stranger.get(uri)).status).toBe(404)
  })

  it('are counted if they are equal, and the last one is first', async () => {
    const { path, show } = await ownedSurvey()
    const startTime = world.now
    identity.setReply('/token', replyHandlers.text(404, 'no'))
    const first = await fail(path)
    world.now = new Date(startTime.getTime() + 60_000)
    identity.setReply('/token', (response) => response.writeHead(307, { location: '/x' }).end())
    const second = await fail(path)
    world.now = new Date(startTime.getTime() + 120_000)
    identity.setReply('/token', replyHandlers.text(404, 'no'))
    expect(await fail(path)).toBe(first)
    const text = await show()
    expect(text).toMatch(/HTTP 404.*2 times.*HTTP 307.*1 time\./s)
    expect(text).toContain(second)
    world.now = startTime
  })

  it('contain a temporary failure, a refusal at the provider, and tokens that are never accepted', async () => {
    const { path, show } = await ownedSurvey()
    identity.setReply('/token', replyHandlers.text(500, 'no'))
    expect(await fail(path)).toBeUndefined()
    identity.setReply('/token', undefined)
    identity.setReply('/authorization', (response) => {
      const to = `${world.base}${path}sign-in/?error=access_denied&error_description=no+scope`
      response.writeHead(302, { location: to }).end()
    })
    await fail(path)
    identity.setReply('/authorization', undefined)
    identity.setReply('/callback', replyHandlers.text(401, ''))
    await fail(path)
    const text = await show()
    for (const shown of ['HTTP 500', 'access_denied', 'no scope', 'a new sign-in is not accepted'])
      expect(text).toContain(shown)
  })

  it('are at most 20 per survey', async () => {
    const { path, show } = await ownedSurvey()
    const startTime = world.now
    for (let status = 410; status < 432; status += 1) {
      world.now = new Date(startTime.getTime() + status * 1000)
      identity.setReply('/token', replyHandlers.text(status, ''))
      await fail(path)
    }
    const shown = [...(await show()).matchAll(/HTTP (\d+)/g)].map(([, status]) => Number(status))
    expect(shown).toEqual(Array.from({ length: 20 }, (_, index) => 431 - index))
    world.now = startTime
  })

  it('contain no description for an anonymous survey, and are deleted when a survey becomes anonymous', async () => {
    const { path, show, owner, survey } = await ownedSurvey()
    const denied = replyHandlers.json(400, {
      error: 'unauthorized_client',
      error_description: 'ann@example.org may not',
    })
    identity.setReply('/token', denied)
    await fail(path)
    expect(await show()).toContain('ann@example.org')
    const { status } = await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { anonymous: true } })
    expect(status).toBe(200)
    expect(await show()).toContain('No sign-in has failed')
    await fail(path)
    const text = await show()
    expect(text).toContain('unauthorized_client')
    expect(text).not.toContain('ann@example.org')
  })

  it('are 404 for other users', async () => {
    const { page } = await ownedSurvey()
    const other = await signInAs(await world.person())
    expect([(await other.get(page)).status, (await other.post(page)).status]).toEqual([404, 404])
  })
})

describe('the test of the connection', () => {
  const count = (text: string, word: string) => text.split(`: ${word}`).length - 1

  it('says that a correct provider works, and signs no one in', async () => {
    const { test } = await ownedSurvey()
    const text = await test()
    expect([count(text, 'works'), count(text, 'failed')]).toEqual([4, 0])
    expect(identity.requests('/token').map(({ form }) => form.grant_type)).toEqual(['authorization_code'])
    expect(text).toContain('No sign-in has failed')
  })

  it('works while sign-in is off, and asks for the provider URL without one', async () => {
    const { owner, survey, test } = await ownedSurvey()
    const put = (custom_authentication: object) =>
      owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { custom_authentication } })
    await put({ enabled: false })
    expect(count(await test(), 'works')).toBe(4)
    await put({ endpoint_uri: '', client_secret: '' })
    expect(await test()).toContain('Enter and save the provider URL first.')
  })

  it.each([
    ['a wrong secret', '/token', replyHandlers.json(401, { error: 'invalid_client' }), 'rejects the client ID'],
    ['a wrong address', '/token', replyHandlers.text(404, 'no'), 'there is nothing at this address'],
    ['a redirect', '/token', (response) => response.writeHead(302, { location: '/x' }).end(), 'The provider redirects'],
    [
      'a token endpoint that accepts all codes',
      '/token',
      replyHandlers.json(200, { access_token: 'x' }),
      'refuses unknown codes',
    ],
    ['an address that denies everyone', '/callback', replyHandlers.text(404, 'no'), 'there is nothing at this address'],
    ['a permission for everyone', '/callback', replyHandlers.json(200, {}), 'does not exist is accepted'],
    ['a sign-in page of a proxy', '/callback', replyHandlers.text(200, '<html>', 'text/html'), 'is a web page'],
    ['an unknown client', '/authorization', replyHandlers.text(400, 'no such client'), 'HTTP 400'],
    [
      'a missing scope',
      '/authorization',
      (response) => response.writeHead(302, { location: '/back?error=invalid_scope&error_description=openid' }).end(),
      'Enter the scope',
    ],
    ['a provider that fails', '/callback', replyHandlers.text(500, 'no'), 'The provider failed'],
    ['a closed connection', '/token', replyHandlers.disconnect, 'the connection was closed'],
  ] as [string, '/authorization' | '/token' | '/callback', ReplyHandler, string][])(
    'names %s',
    async (_, endpoint, reply, hint) => {
      const { test } = await ownedSurvey()
      identity.setReply(endpoint, reply)
      const text = await test()
      expect([count(text, 'works'), count(text, 'failed')]).toEqual([3, 1])
      expect(text).toContain(hint)
    },
  )
})
