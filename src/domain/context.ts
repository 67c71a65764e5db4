import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from './services.ts'

/** The account of a request. A plain object, because requests share it through a cache. */
export interface Actor {
  id: number
  username: string
  email: string
  name: string
  isDeveloper: boolean
  /** The name of the plan, which sets the limit of API requests. */
  plan: string
}

/** The context of a request without an account, such as that of a respondent. */
export interface PublicContext {
  em: EntityManager
  /** The entity manager of the primary server if `em` reads from a replica. */
  writer?: EntityManager
  now: Date
  services: Services
  /** IP address of the client; absent in jobs and on the command line. */
  ipAddress?: string
  /** Returns whether the client has disconnected or already has a reply. */
  isAbandoned?(): boolean
}

/** The context of a request with an account: the first argument of every command and query. */
export interface Context extends PublicContext {
  actor: Actor
  /** Whether the reader of a shared report acts with the access of its owner. */
  isGuest?: true
}

/** Returns a context that creates its entity manager on first use, because submissions need no entity manager. */
export function lazyContext<Values extends object>(
  fork: () => EntityManager,
  values: Values,
): Values & { em: EntityManager } {
  let em: EntityManager | undefined
  return {
    ...values,
    get em() {
      em ??= fork()
      return em
    },
  }
}
