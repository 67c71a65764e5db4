import type { PublicContext } from '../context.ts'
import { isConfidential } from '../survey/setting-parsers.ts'
import { clientSecretOf } from '../survey/settings-secret.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { surveyUrl } from '../survey-address.ts'

/** The external identity system at which the respondents of a survey sign in (docs/specification.md 12). */
export interface IdentityProvider {
  /** The address below which `authorization`, `token` and `callback` are, without a slash at its end. */
  endpoint: string
  clientId: string
  /** Absent where the owner has set none: then we only say who we are. */
  clientSecret: string | undefined
  /** Where it sends respondents back to: an address of the survey's own, so that one system's codes never go to another (RFC 9700, 4.4). */
  redirectUri: string
}

/** The identity system said neither yes nor no; the message is for whoever runs this service. */
export class IdentityError extends Error {
  override name = 'IdentityError'
  /** The error that it named (RFC 6749, 4.1.2.1 and 5.2), if it named one. */
  readonly code: string | undefined

  constructor(message: string, { code, cause }: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** The last part of the address to which respondents come back. */
export const CALLBACK_PATH = 'sign-in/'

/** Where respondents of a survey come back to when they have signed in: what its owner's system has to know of us. */
export const signInCallbackUrl = (baseUrl: string, survey: { username: string; slug: string }): string =>
  surveyUrl(baseUrl, survey) + CALLBACK_PATH

/**
 * The identity system of a collector; undefined: respondents need not sign in.
 * @throws {IdentityError} where it is set so that nobody can be asked: that must not let anybody in
 */
export function identityProviderOf(
  { services }: PublicContext,
  { ownerUsername, slug }: SurveySnapshot,
  { settings }: CollectorSnapshot,
): IdentityProvider | undefined {
  const { enabled, endpoint_uri: endpoint, client_secret_encrypted: sealed } = settings.custom_authentication
  if (!enabled) return undefined
  const url = URL.parse(endpoint)
  if (!url || !isConfidential(url)) throw new IdentityError('the endpoint has no address starting with https://')
  const clientSecret = clientSecretOf(services, settings)
  if (sealed !== null && clientSecret === undefined)
    throw new IdentityError('the client secret was sealed with another SECRET_KEY: set it again')
  const redirectUri = signInCallbackUrl(services.baseUrl, { username: ownerUsername, slug })
  return { endpoint, clientId: services.serviceClientId, clientSecret, redirectUri }
}
