import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa, Middleware } from 'koa'
import type { PublicContext } from '../domain/context.ts'
import { Problem } from '../domain/problem.ts'
import type { Services } from '../domain/services.ts'
import { type Credentials, credentialsOf, usesBasic } from './client.ts'
import { describe, type Failure, failures, isFailure, unwrapped } from './failure.ts'
import { parametersIn } from './parameters.ts'

export interface OAuthDeps {
  fork(): EntityManager
  clock(): Date
  services: Services
  /** The Problem behind a database error that a caller can cause, or that will pass. */
  translate(error: unknown): Problem | undefined
  /**
   * Settles as the work does, or as soon as the database is found silent.
   * @throws {Problem} `unavailable`
   */
  unlessSilent<Result>(work: () => Promise<Result>): Promise<Result>
  /** Leaves a form's fields in `ctx.request.body`. */
  readBody: Middleware
}

/** A request that an application makes by itself. */
export interface ClientRequest {
  context: PublicContext
  values: Readonly<Record<string, string>>
  credentials: Credentials
  ipAddress: string
}

type Outcome = { answer: object | undefined } | { failure: Failure | Problem }

/**
 * Serves what applications post to: reads form and credentials, runs all in one transaction, answers JSON that nobody
 * keeps. A failure commits too: a code or token that was tried twice has to stay revoked.
 * @param run what it answers with; undefined: nothing but 200
 */
export const endpoint =
  (deps: OAuthDeps, operation: string, run: (request: ClientRequest) => Promise<object | undefined>) =>
  async (ctx: Koa): Promise<void> => {
    ctx.state.operation = operation
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Pragma', 'no-cache')
    try {
      await deps.readBody(ctx, async () => undefined)
      const { values, repeated } = parametersIn(ctx.request.body)
      if (repeated.length > 0) throw failures.invalidRequest(`${repeated[0]} is sent more than once`)
      const credentials = credentialsOf(ctx, values)
      const attempt = () =>
        deps.fork().transactional(async (em): Promise<Outcome> => {
          const context = { em, now: deps.clock(), services: deps.services }
          try {
            return { answer: await run({ context, values, credentials, ipAddress: ctx.ip }) }
          } catch (error) {
            return { failure: known(error) }
          }
        })
      const outcome = await deps.unlessSilent(attempt)
      if ('failure' in outcome) throw outcome.failure
      ctx.status = 200
      ctx.body = outcome.answer ?? ''
    } catch (error) {
      refuse(ctx, isFailure(error) || error instanceof Problem ? error : (deps.translate(unwrapped(error)) ?? error))
    }
  }

/** What the client is told; anything else is thrown on, and undoes everything. */
function known(error: unknown): Failure | Problem {
  const inner = unwrapped(error)
  if (inner instanceof Problem || isFailure(inner)) return inner
  throw inner
}

/** RFC 6749, 5.2. */
function refuse(ctx: Koa, error: unknown): void {
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
    const passing = { too_many: 429, unavailable: 503 }[kind as string]
    ctx.status = passing ?? status
    ctx.body = {
      error: passing ? 'temporarily_unavailable' : 'invalid_request',
      error_description: describe(message),
    }
    return
  }
  ctx.app.emit('error', error, ctx)
  ctx.status = 500
  ctx.body = { error: 'server_error', error_description: `The request id is ${ctx.state.requestId}` }
}
