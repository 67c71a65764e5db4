import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { clientAuthentication } from './client-authentication.ts'
import { IdentityError, type IdentityProvider } from './identity-provider.ts'
import { type ProviderReply, postForm } from './provider-request.ts'

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
 * After a 401 the request is repeated once with the token as a Bearer token.
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
      `${provider.endpoint}/callback`,
      new URLSearchParams(fields),
      authorization ? { authorization } : {},
    )
  const first = await send(clientAuthentication(provider), { access_token: accessToken, ...form })
  // A request must send the token in one way only (RFC 6750, 2).
  const reply = first.status === 401 ? await send(`Bearer ${accessToken}`, form) : first
  if (reply.status === 401 && first.error === 'invalid_grant') return 'unknown'
  return parsePermission(reply)
}

function parsePermission({ status, members, error }: ProviderReply): PermissionReply {
  if (error === 'invalid_grant') return 'unknown'
  if (status === 404) return 'denied'
  if (status < 200 || status > 299) throw new IdentityError(`the reply has the status ${status}`, { code: error })
  if (error !== undefined) throw new IdentityError(`the reply is the error ${error}`, { code: error })
  if (!members) throw new IdentityError('the reply is not valid JSON')
  return 'allowed'
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
