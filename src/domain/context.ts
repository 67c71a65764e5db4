import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from './actor.ts'
import type { Services } from './services.ts'

/** The context of a request without an account, such as that of a respondent. */
export interface PublicContext {
  em: EntityManager
  now: Date
  services: Services
  /** Address of the client; absent in jobs and commands. */
  ipAddress?: string
  /** Returns whether the client has disconnected or got a reply already. */
  isAbandoned?(): boolean
}

/** The unit of work, the time and the account of a request: the first argument of every command and query. */
export interface Context extends PublicContext {
  actor: Actor
}
