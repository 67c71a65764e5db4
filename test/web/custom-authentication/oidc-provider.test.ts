import { expect, test } from '@jest/globals'
import { signInAs } from '../../support/http-browser.ts'
import { useOidcProvider } from '../../support/oidc-provider.ts'
import { storedResponses } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld()
const oidc = useOidcProvider()

test('respondents sign in at oidc-provider, through revoked tokens, and its errors reach the owner', async () => {
  const { survey, path, owner } = await surveyWithSignIn(world, oidc)
  const settings = `/api/v3/surveys/${survey.id}/settings/`
  const change = (custom_authentication: object) => owner.put(settings, { json: { custom_authentication } })
  const failures = async () => (await owner.get(`/api/v3/surveys/${survey.id}/sign_in_failures/`)).body.results

  // Without a scope, this provider grants nothing, also to a person who has signed in.
  const refused = await new RespondentBrowser(world.base).open(path)
  expect(refused.text).toContain('You are not signed in')
  expect(await failures()).toEqual([expect.objectContaining({ step: 'authorization', code: 'access_denied' })])

  expect((await change({ scope: 'openid' })).status).toBe(200)
  oidc.grants = []
  const ann = new RespondentBrowser(world.base)
  const first = await ann.open(`${path}?source=poster`)
  expect(first.text).toContain('Text a')
  expect(new URL(first.redirects[0]!).searchParams.get('scope')).toBe('openid')
  expect(oidc.grants).toEqual(['authorization_code'])

  // An administrator ends the access token: it is refreshed once, and nobody notices.
  await oidc.revoke(false)
  const second = await ann.submit(first, { a: 'one' })
  expect(second.text).toContain('Text b')
  expect(oidc.grants).toEqual(['authorization_code', 'refresh_token'])

  // The person signs out everywhere: they sign in again, and the answers stay.
  await oidc.revoke(true)
  const rejected = await ann.submit(second, { b: 'two' })
  expect(rejected).toMatchObject({ status: 403, text: expect.stringContaining('Sign in again') })
  expect((await ann.open(path)).text).toContain('You have already started this survey')
  expect((await ann.submit(rejected)).text).toContain('Thank you!')
  expect(oidc.grants).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  expect(await storedResponses(world, survey.id)).toMatchObject([
    { completed: 1, answers: { a: 'one', b: 'two' }, get_variables: 'source=poster' },
  ])

  const browser = await signInAs(owner)
  const test = async () => (await browser.post(`/account/surveys/${survey.id}/edit/settings/sign-in/`)).text
  expect(await test()).not.toContain('failed</')
  world.now = new Date(world.now.getTime() + 1_000)
  await change({ client_secret: 'anotherSecretOfLettersAndDigits' })
  expect((await new RespondentBrowser(world.base).open(path)).text).toContain('is not set up correctly')
  expect((await failures())[0]).toMatchObject({ step: 'token', status: 401, code: 'invalid_client' })
  expect(await test()).toContain('invalid_client')
})
