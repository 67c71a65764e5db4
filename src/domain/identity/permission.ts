import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { clientAuthentication } from './client-authentication.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { errorOfReply, type ProviderReply, postForm } from './provider-request.ts'

/** The response to which a respondent requests access. */
export interface ProtectedResponse {
  survey: SurveySnapshot
  collector: CollectorSnapshot
  /** The key of the response, which may not exist yet. */
  key: Buffer
}

/** `unknown`: the provider no longer accepts the token. */
export type PermissionReply = 'allowed' | 'denied' | 'unknown'

/**
 * Asks an identity provider whether a respondent may see and change a response (docs/specification.md 12.2). The
 * request carries the client's credentials in the header and the access token in the form (docs/decisions.md 8.1).
 * After a 401 the request is repeated once with the token as a Bearer token. A second 401 means that the token is not
 * valid, whatever the body is.
 * @throws {IdentityError} when the reply neither grants nor denies access
 */
export async function requestPermission(
  context: PublicContext,
  provider: IdentityProvider,
  accessToken: string,
  response: ProtectedResponse,
): Promise<PermissionReply> {
  const form = {
    method: 'access_response',
    survey: String(response.survey.id),
    response: responseName(context, response),
  }
  const send = (authorization: string | undefined, fields: Record<string, string>) =>
    postForm(
      context.services,
      provider,
      'callback',
      new URLSearchParams(fields),
      authorization ? { authorization } : {},
    )
  const first = await send(clientAuthentication(provider), { access_token: accessToken, ...form })
  if (first.status !== 401) return parsePermission(first)
  // A request must send the token in one way only (RFC 6750, 2).
  const second = await send(`Bearer ${accessToken}`, form)
  return second.status === 401 ? 'unknown' : parsePermission(second)
}

/** Error codes that mean that the token is not valid: docs/specification.md 12.2 and RFC 6750, 3.1. */
const UNKNOWN_TOKEN = new Set(['invalid_grant', 'invalid_token'])

function parsePermission(reply: ProviderReply): PermissionReply {
  if (reply.error !== undefined && UNKNOWN_TOKEN.has(reply.error)) return 'unknown'
  if (reply.status === 404) return 'denied'
  const error = errorOfReply('callback', reply)
  if (error) throw error
  // The reply of a provider's introspection endpoint (RFC 7662, 2.2).
  return reply.members?.active === false ? 'unknown' : 'allowed'
}

/**
 * Returns the name of a response in the request: its key or, for anonymous responses, a digest of the key. The provider
 * knows who the respondent is. With the key of an anonymous response, the owner of the provider could find the response
 * of this person.
 */
const responseName = ({ services }: PublicContext, { collector, key }: ProtectedResponse): string =>
  (collector.settings.anonymous
    ? digest(services.secretKey, `anonymous response ${key.toString('hex')}`).subarray(0, key.length)
    : key
  ).toString('hex')
