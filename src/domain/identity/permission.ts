import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import { clientAuthentication } from './client-authentication.ts'
import { IdentityError, type IdentityProvider } from './identity-provider.ts'
import { type ProviderReply, postForm } from './provider-request.ts'

/** To what somebody wants access. */
export interface ProtectedResponse {
  survey: SurveySnapshot
  collector: CollectorSnapshot
  /** Of the response, or of the one that is about to be made. */
  key: Buffer
}

/** `unknown`: nobody is signed in any more with this token. */
export type PermissionReply = 'allowed' | 'refused' | 'unknown'

/**
 * Asks an identity system whether a respondent may see and change a response (docs/specification.md 12.2). The request
 * carries the client's credentials in the header and the access token in the form (docs/decisions.md 8.1). After a 401 it
 * is repeated once with the token as Bearer.
 * @throws {IdentityError} when the reply neither grants nor denies access
 */
export async function requestPermission(
  context: PublicContext,
  system: IdentityProvider,
  accessToken: string,
  wanted: ProtectedResponse,
): Promise<PermissionReply> {
  const form = {
    method: 'access_response',
    survey: String(wanted.survey.id),
    response: responseName(context, wanted),
  }
  const send = (authorization: string | undefined, fields: Record<string, string>) =>
    postForm(
      context.services,
      `${system.endpoint}/callback`,
      new URLSearchParams(fields),
      authorization ? { authorization } : {},
    )
  const first = await send(clientAuthentication(system), { access_token: accessToken, ...form })
  // The token goes one way at a time (RFC 6750, 2).
  const told = first.status === 401 ? await send(`Bearer ${accessToken}`, form) : first
  if (told.status === 401 && first.error === 'invalid_grant') return 'unknown'
  return parsePermission(told)
}

function parsePermission({ status, members, error }: ProviderReply): PermissionReply {
  if (error === 'invalid_grant') return 'unknown'
  if (status === 404) return 'refused'
  if (status < 200 || status > 299) throw new IdentityError(`it answered with status ${status}`, { code: error })
  if (error !== undefined) throw new IdentityError(`it answered ${error}`, { code: error })
  if (!members) throw new IdentityError('it answered with something that is no JSON')
  return 'allowed'
}

/**
 * What a response is called: its key. Who was promised to stay anonymous is called by a name of the same form that leads
 * to no response, for the owner of the survey knows the keys, and the system knows who is signed in.
 */
const responseName = ({ services }: PublicContext, { collector, key }: ProtectedResponse): string =>
  (collector.settings.anonymous
    ? digest(services.secretKey, `anonymous response ${key.toString('hex')}`).subarray(0, key.length)
    : key
  ).toString('hex')
