import type { Context, PublicContext } from '../context.ts'
import type { Application } from './application.ts'
import type { Scope } from './scope.ts'

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
