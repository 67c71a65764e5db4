import type { PublicContext } from '../context.ts'
import { clientSecretOf } from '../survey/parse-settings.ts'
import { isConfidential } from '../survey/setting-parsers.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { surveyUrl } from '../survey-address.ts'

/** The external identity provider at which the respondents of a survey sign in (docs/specification.md 12). */
export interface IdentityProvider {
  /** The base URL of `authorization`, `token` and `callback`, without a trailing slash. */
  endpoint: string
  clientId: string
  /** The secret of the client. Undefined if the owner has set none; requests then contain only the client id. */
  clientSecret: string | undefined
  /** The scopes that the authorization request names, separated by spaces. Undefined for none. */
  scope: string | undefined
  /**
   * The callback URL; each survey has its own URL, so that an authorization code of one provider is never sent to
   * another provider (RFC 9700, 4.4).
   */
  redirectUri: string
}

/** A part of a sign-in that can fail: the settings, or an endpoint of the provider. */
export type SignInStep = 'settings' | 'authorization' | 'token' | 'callback'

/** Error codes with which a provider says that it cannot reply at the moment (RFC 6749, 4.1.2.1). */
const TEMPORARY_CODES = new Set(['server_error', 'temporarily_unavailable'])
const TOO_MANY_REQUESTS = 429

interface IdentityErrorOptions {
  status?: number | undefined
  code?: string | undefined
  description?: string | undefined
  /** Whether no reply arrived. */
  noReply?: boolean
  cause?: unknown
}

/**
 * An error of an identity provider: no reply, an error reply, an invalid reply, or settings that are not usable. The
 * message is for the operator and the owner of the survey.
 */
export class IdentityError extends Error {
  override name = 'IdentityError'
  readonly step: SignInStep
  /** The HTTP status of the provider's reply. */
  readonly status: number | undefined
  /** The error code of the provider's reply (RFC 6749, 4.1.2.1 and 5.2), or `unnamed`. */
  readonly code: string | undefined
  /** The provider's description of the error, on one line. */
  readonly description: string | undefined
  /** Whether a later attempt can succeed without a change of the settings: there was no reply, or the provider failed. */
  readonly isTemporary: boolean

  constructor(step: SignInStep, message: string, options: IdentityErrorOptions = {}) {
    const { status = 0, code, description, noReply = false, cause } = options
    super(message, { cause })
    this.step = step
    this.status = status || undefined
    this.code = code
    this.description = description
    this.isTemporary =
      noReply || status >= 500 || status === TOO_MANY_REQUESTS || (code !== undefined && TEMPORARY_CODES.has(code))
  }
}

/** The last path segment of the callback URL. */
export const CALLBACK_PATH = 'sign-in/'

/** Returns the callback URL of a survey, which its owner registers with the identity provider. */
export const signInCallbackUrl = (baseUrl: string, survey: { username: string; slug: string }): string =>
  surveyUrl(baseUrl, survey) + CALLBACK_PATH

/**
 * Returns the identity provider of a collector; undefined if respondents need not sign in.
 * @throws {IdentityError} if the settings are not usable; respondents must not get access then
 */
export function identityProviderOf(
  { services }: PublicContext,
  { ownerUsername, slug }: SurveySnapshot,
  { settings }: CollectorSnapshot,
): IdentityProvider | undefined {
  const {
    enabled,
    endpoint_uri: endpoint,
    client_secret_encrypted: sealedSecret,
    scope,
  } = settings.custom_authentication
  if (!enabled) return undefined
  const url = URL.parse(endpoint)
  if (!url || !isConfidential(url)) throw new IdentityError('settings', 'the endpoint must start with https://')
  const clientSecret = clientSecretOf(services, settings)
  if (sealedSecret !== null && clientSecret === undefined)
    throw new IdentityError('settings', 'the client secret was encrypted with another SECRET_KEY: set it again')
  const redirectUri = signInCallbackUrl(services.baseUrl, { username: ownerUsername, slug })
  return { endpoint, clientId: services.serviceClientId, clientSecret, scope, redirectUri }
}

const formEncoded = (text: string) => String(new URLSearchParams({ '': text })).slice(1)

/**
 * Returns the Authorization header for requests to an identity provider: HTTP Basic (RFC 6749, 2.3.1). Form encoding
 * leaves `-`, `_` and `.` unescaped, so providers that do not decode the header still recognise the usual client ids.
 * @returns undefined when no client secret is set
 */
export const clientAuthentication = ({ clientId, clientSecret }: IdentityProvider): string | undefined =>
  clientSecret === undefined
    ? undefined
    : `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}`
