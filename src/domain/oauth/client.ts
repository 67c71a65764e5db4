import { timingSafeEqual } from 'node:crypto'
import { throttled } from '../account/login-throttle.ts'
import type { Context, PublicContext } from '../context.ts'
import { Application, clientSecretHash } from './applications.ts'
import type { Scope } from './scope.ts'

/** The format of client ids. */
const CLIENT_ID = /^[A-Za-z0-9]{1,64}$/

/** Returns the application with a client id; null if there is none. */
export const findClient = async ({ em }: PublicContext, clientId: string): Promise<Application | null> =>
  CLIENT_ID.test(clientId) ? em.findOne(Application, { clientId }, { populate: ['secretHash'] }) : null

/**
 * Authenticates an application by its client id and secret. A public application has no secret, and identifies itself by
 * its client id alone. After ten consecutive wrong secrets, further wrong secrets are blocked for a while. A correct
 * secret always succeeds, because it has 255 bits and an application may send many requests at the same time.
 * @returns undefined for a missing or wrong secret
 * @throws {Problem} `too_many_attempts`
 */
export async function authenticateClient(
  context: PublicContext,
  { clientId, secret }: { clientId: string; secret: string | undefined },
  ipAddress: string,
): Promise<Application | undefined> {
  const application = await findClient(context, clientId)
  if (secret === undefined) return application?.isPublic ? application : undefined
  const hash = clientSecretHash(context, secret)
  if (application && !application.isPublic && timingSafeEqual(hash, application.secretHash)) return application
  await throttled(context, `oauth client ${clientId}`, { ipAddress }, async () => undefined)
  return undefined
}

/** A valid authorization request. */
export interface AuthorizationRequest {
  application: Application
  scopes: readonly Scope[]
  /** The URI to which the code or the error is sent. */
  redirectUri: string
}

/**
 * The result of validating an authorization request. It is one of three: a request on which the user can decide; a
 * redirect that sends an error to the application; or the name of the parameter that does not match a registered
 * client, with the requested redirect URI. In the last case, no redirect is allowed (RFC 6749, 4.1.2.1).
 */
export type AuthorizationCheck =
  | { request: AuthorizationRequest }
  | { redirect: string }
  | { unknownClient: 'client_id' | 'redirect_uri'; requested?: string }

/** The authorization endpoint without its pages. `query` is the query string of the authorization request. */
export interface AuthorizationEndpoint {
  validate(context: PublicContext, query: URLSearchParams): Promise<AuthorizationCheck>
  /**
   * Grants some or all requested scopes on behalf of the actor.
   * @returns the redirect URL with the code
   */
  approve(context: Context, query: URLSearchParams, scopes: readonly Scope[]): Promise<string>
  /**
   * Denies the request.
   * @returns the redirect URL with the error `access_denied`
   */
  deny(context: PublicContext, query: URLSearchParams): Promise<string>
}
