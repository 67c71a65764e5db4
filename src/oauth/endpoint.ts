import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa, Middleware } from 'koa'
import type { PublicContext } from '../domain/context.ts'
import { Problem } from '../domain/problem.ts'
import type { Services } from '../domain/services.ts'
import { type Credentials, credentialsOf, usesBasic } from './client.ts'
import { describe, type Failure, failures, isFailure, unwrapError } from './failure.ts'
import { parametersIn } from './parameters.ts'

export interface OAuthDeps {
  fork(): EntityManager
  clock(): Date
  services: Services
  /** Returns the Problem for a database error that a caller caused, or that is temporary. */
  translate(error: unknown): Problem | undefined
  /**
   * Settles with `work`, or rejects when the database stops responding.
   * @throws {Problem} `unavailable`
   */
  rejectOnOutage<Result>(work: () => Promise<Result>): Promise<Result>
  /** Stores the fields of a form in `ctx.request.body`. */
  readBody: Middleware
}

/** A request from an application, without a user. */
export interface ClientRequest {
  context: PublicContext
  values: Readonly<Record<string, string>>
  credentials: Credentials
  ipAddress: string
}

type Outcome = { body: object } | { failure: Failure | Problem }

/**
 * Returns the handler of an endpoint for applications: reads form and credentials, calls `run` in a transaction, and
 * replies with JSON that is not cached. The transaction commits even after a failure, so that the revocation after a
 * reused code or token persists.
 * @param run returns the body of the reply
 */
export const endpoint =
  (deps: OAuthDeps, operation: string, run: (request: ClientRequest) => Promise<object>) =>
  async (ctx: Koa): Promise<void> => {
    ctx.state.operation = operation
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Pragma', 'no-cache')
    try {
      await deps.readBody(ctx, async () => undefined)
      const { values, repeated } = parametersIn(ctx.request.body)
      if (repeated.length > 0) throw failures.invalidRequest(`${repeated[0]} occurs more than once`)
      const credentials = credentialsOf(ctx, values)
      const attempt = () =>
        deps.fork().transactional(async (em): Promise<Outcome> => {
          const context = { em, now: deps.clock(), services: deps.services }
          try {
            return { body: await run({ context, values, credentials, ipAddress: ctx.ip }) }
          } catch (error) {
            return { failure: failureOf(error) }
          }
        })
      const outcome = await deps.services.admission.run('normal', () => deps.rejectOnOutage(attempt))
      if ('failure' in outcome) throw outcome.failure
      ctx.status = 200
      ctx.body = outcome.body
    } catch (error) {
      sendError(
        ctx,
        isFailure(error) || error instanceof Problem ? error : (deps.translate(unwrapError(error)) ?? error),
      )
    }
  }

/** Returns an error for the client; rethrows any other, which rolls the transaction back. */
function failureOf(error: unknown): Failure | Problem {
  const inner = unwrapError(error)
  if (inner instanceof Problem || isFailure(inner)) return inner
  throw inner
}

/** Sends an error (RFC 6749, 5.2). */
function sendError(ctx: Koa, error: unknown): void {
  if (isFailure(error)) {
    const challenged = error.name === 'invalid_client' && usesBasic(ctx)
    if (challenged) ctx.set('WWW-Authenticate', 'Basic realm="oauth"')
    ctx.status = challenged ? 401 : error.code
    ctx.body = { error: error.name, error_description: describe(error.message) }
    return
  }
  if (error instanceof Problem) {
    const { kind, retryAfter, message, status = 400 } = error as Problem & { status?: number }
    if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter))
    const temporary = { too_many: 429, unavailable: 503 }[kind as string]
    ctx.status = temporary ?? status
    ctx.body = {
      error: temporary ? 'temporarily_unavailable' : 'invalid_request',
      error_description: describe(message),
    }
    return
  }
  ctx.app.emit('error', error, ctx)
  ctx.status = 500
  ctx.body = { error: 'server_error', error_description: `The request ID is ${ctx.state.requestId}` }
}
