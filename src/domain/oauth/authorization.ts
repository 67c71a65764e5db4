import type { Context, PublicContext } from '../context.ts'
import type { Application } from './application.ts'
import type { Scope } from './scope.ts'

/** What an application asks of somebody, and whose answer goes where. */
export interface AuthorizationRequest {
  application: Application
  scopes: readonly Scope[]
  /** Where the answer goes. */
  redirectUri: string
}

/**
 * What becomes of an authorization request: somebody can be asked; or the application is told what is wrong with it, by way
 * of the browser; or nothing may be sent anywhere, for nobody knows who asks (RFC 6749, 4.1.2.1).
 */
export type AuthorizationCheck =
  | { asked: AuthorizationRequest }
  | { redirect: string }
  | { stranger: 'client_id' | 'redirect_uri' }

/** The authorization endpoint without its pages. The query is the one that the application sent the browser with. */
export interface AuthorizationEndpoint {
  consider(context: PublicContext, query: URLSearchParams): Promise<AuthorizationCheck>
  /**
   * The actor agrees, perhaps to less than was asked for.
   * @returns where the browser goes, with the code
   */
  approve(context: Context, query: URLSearchParams, scopes: readonly Scope[]): Promise<string>
  /** @returns where the browser goes, with `access_denied` */
  deny(context: PublicContext, query: URLSearchParams): Promise<string>
}
