import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from './actor.ts'
import type { Services } from './services.ts'

/** What a respondent's visit brings: no actor, the rest as in {@link Context}. */
export interface PublicContext {
  em: EntityManager
  now: Date
  services: Services
  /** Where the request came from; absent in jobs and commands. */
  ipAddress?: string
  /** Whether the caller has hung up or was answered already, so that nobody would learn of the outcome. */
  isAbandoned?(): boolean
}

/** Who acts, when, inside which unit of work, and where. The first argument of every command and query. */
export interface Context extends PublicContext {
  actor: Actor
}
