import { randomBytes } from 'node:crypto'
import { SafeHttpError } from '../../lib/safe-http.ts'
import type { Context, PublicContext } from '../context.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { CollectorSnapshot } from '../survey/snapshot.ts'
import {
  clientAuthentication,
  IdentityError,
  type IdentityProvider,
  identityProviderOf,
  type SignInStep,
} from './identity-provider.ts'
import { errorOfReply, oneLine, postForm, requestPermission, TIMEOUT_MS } from './permission.ts'
import { startSignIn } from './sign-in.ts'

/** The result of testing one step of a sign-in. */
export interface StepResult {
  step: SignInStep
  /** Undefined if the endpoint replied as expected. */
  error: IdentityError | undefined
}

/**
 * Tests the identity provider of a survey, even if sign-in is off: requests the authorization page, and sends a wrong
 * code to `token` and an unknown access token to `callback`. Each of them must be refused in the specified way.
 * @returns the result of each step; an empty list if the survey has no provider URL
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function testConnection(context: Context, surveyId: number): Promise<StepResult[]> {
  const survey = await findSnapshot(context, surveyId, 'Edit')
  const collector = withSignIn(survey.defaultCollector)
  if (collector.settings.custom_authentication.endpoint_uri === '') return []
  const results: StepResult[] = []
  const test = async (step: SignInStep, run: () => Promise<IdentityError | undefined>) => {
    try {
      results.push({ step, error: await run() })
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error
      results.push({ step, error })
    }
  }
  let provider: IdentityProvider | undefined
  await test('settings', async () => {
    provider = identityProviderOf(context, survey, collector)
    return undefined
  })
  if (!provider) return results
  const tested = provider
  await test('authorization', () => testAuthorization(context, tested))
  await test('token', () => testToken(context, tested))
  await test('callback', async () => {
    const reply = await requestPermission(context, tested, randomText(), { survey, collector, key: randomBytes(16) })
    if (reply === 'allowed') return new IdentityError('callback', 'an access token that does not exist is accepted')
    if (reply === 'denied') return new IdentityError('callback', 'the reply has the status 404', { status: 404 })
    return undefined
  })
  return results
}

const randomText = () => `test-${randomBytes(16).toString('hex')}`

const withSignIn = (collector: CollectorSnapshot): CollectorSnapshot => ({
  ...collector,
  settings: {
    ...collector.settings,
    custom_authentication: { ...collector.settings.custom_authentication, enabled: true },
  },
})

/** Requests the page on which respondents sign in. A redirect to another page of the provider is a success. */
async function testAuthorization(
  { services: { safeHttp } }: PublicContext,
  provider: IdentityProvider,
): Promise<IdentityError | undefined> {
  const { address } = await startSignIn(provider)
  try {
    const { status, headers } = await safeHttp.send(address, { method: 'GET', timeoutMs: TIMEOUT_MS })
    const query = URL.parse(String(headers.location ?? ''), address)?.searchParams
    const code = oneLine(query?.get('error'))
    const description = oneLine(query?.get('error_description'))
    if (code) return new IdentityError('authorization', `the reply is the error ${code}`, { status, code, description })
    return status < 400
      ? undefined
      : new IdentityError('authorization', `the reply has the status ${status}`, { status })
  } catch (error) {
    if (!(error instanceof SafeHttpError)) throw error
    return new IdentityError('authorization', error.message, { noReply: !error.isPermanent, cause: error })
  }
}

/** Sends a code that does not exist. The error `invalid_grant` means that the client is accepted. */
async function testToken({ services }: PublicContext, provider: IdentityProvider): Promise<IdentityError | undefined> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: randomText(),
    client_id: provider.clientId,
    redirect_uri: provider.redirectUri,
    code_verifier: randomBytes(32).toString('hex'),
  })
  const authorization = clientAuthentication(provider)
  const reply = await postForm(services, provider, 'token', form, authorization ? { authorization } : {})
  if (reply.error === 'invalid_grant') return undefined
  return errorOfReply('token', reply) ?? new IdentityError('token', 'a code that does not exist is accepted')
}
