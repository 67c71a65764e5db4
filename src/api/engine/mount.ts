import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa, Middleware } from 'koa'
import type { Context as Matched } from 'openapi-backend'

import type { Actor } from '../../domain/actor.ts'
import type { Context } from '../../domain/context.ts'

import { fieldError } from '../../domain/field-error.ts'

import { Problem, problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { MAX_ANONYMOUS, MAX_BODY, takeBody } from './body.ts'
import { type Contract, type Endpoint, endpointsOf } from './contract.ts'
import { assertNotCrossSite } from './cross-site.ts'
import { type Call, callOf, Engine } from './engine.ts'
import { HttpError, httpErrors } from './http-error.ts'
import { answerOf, type HttpReply, send } from './http-reply.ts'
import type { AnyHandler, AnyReply, AnyRequest } from './operation.ts'

/** What is known of a request when it is refused. */
export interface Facts {
  /** The path as it was asked for. */
  instance: string
  /** The same below the version's prefix. */
  path: string
  requestId: string
  /** Undefined when no operation matched. */
  operationId: string | undefined
}

/** One version of the interface: a contract, a function for each of its operations, and its way to say no. */
export interface Version {
  /** As `/api/v3`. */
  prefix: string
  contract: Contract
  handlers: Readonly<Record<string, AnyHandler>>
  /** Operations that write and commit by themselves: no transaction is opened for them. */
  selfCommitting?: ReadonlySet<string>
  refuse(problem: Problem, facts: Facts): { status: number; body: unknown; contentType: string }
}

export interface Deps {
  /** A fresh view of the database for one request. */
  fork(): EntityManager
  clock(): Date
  services: Services
  /**
   * Names the caller.
   * @param scopes what an access token must allow here; they do not concern a password
   * @throws {Problem} `unauthenticated` or another; anything else is an outage
   */
  authenticate(ctx: Koa, scopes: readonly string[]): Promise<Actor>
  /** The Problem behind a database error that a caller can cause, or that will pass. */
  translate(error: unknown): Problem | undefined
  /**
   * Settles as the work does, or as soon as the database is found silent.
   * @throws {Problem} `unavailable`
   */
  unlessSilent<Result>(work: () => Promise<Result>): Promise<Result>
  /** Holds every answer against the contract and answers a breach with 500 `contract_broken`. For tests. */
  strict: boolean
}

/** A context that opens its view of the database when it is first looked at: a submission never does. */
function viewing(fork: () => EntityManager, facts: Omit<Context, 'em'>): Context {
  let em: EntityManager | undefined
  return {
    ...facts,
    get em() {
      em ??= fork()
      return em
    },
  }
}

/** Every operation of a version, for tests and tables. */
export const operationsOf = ({ contract, prefix }: Pick<Version, 'contract' | 'prefix'>) =>
  endpointsOf(contract).map(({ method, path, operationId }) => ({ method, path: prefix + path, operationId }))

const WRITING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Serves one contract: route, authenticate, read the body, validate, run the handler (in a transaction if the method
 * writes), commit, and only then answer. What is not below the prefix is passed on.
 * @throws when an operation has no handler, or a handler no operation
 */
export async function mount(version: Version, deps: Deps): Promise<Middleware> {
  const { prefix, handlers, selfCommitting = new Set<string>() } = version
  const engine = new Engine(version.contract, prefix)
  assertComplete(prefix, engine.endpoints, handlers)

  for (const endpoint of engine.endpoints) {
    const handler = handlers[endpoint.operationId] as unknown as (request: AnyRequest) => Promise<AnyReply>
    const transacts = WRITING.has(endpoint.method) && !selfCommitting.has(endpoint.operationId)
    engine.registerHandler(endpoint.operationId, ({ request }: Matched, ctx: Koa) => {
      const { values, search } = request as unknown as Call
      const isAbandoned = () => ctx.res.writableEnded || ctx.res.closed
      const facts = {
        actor: ctx.state.actor,
        now: deps.clock(),
        services: deps.services,
        ipAddress: ctx.ip,
        isAbandoned,
      }
      const rest = { search, ipAddress: ctx.ip, ...values }
      if (!transacts) return handler({ context: viewing(deps.fork, facts), ...rest })
      return deps.fork().transactional((em) => {
        // There was no free connection for so long that the caller has left, or was told to come back.
        if (isAbandoned()) throw problems.unavailable()
        return handler({ context: { em, ...facts }, ...rest })
      })
    })
  }

  const authenticate = async ({ operation }: Matched, ctx: Koa) => {
    // Both schemes of a contract ask here, and are answered once.
    assertNotCrossSite(ctx, deps.services)
    ctx.state.authentication ??= deps.authenticate(ctx, (operation as unknown as Endpoint).scopes)
    ctx.state.actor = await ctx.state.authentication
    return true
  }
  for (const scheme of new Set(engine.endpoints.flatMap(({ security }) => security.flatMap(Object.keys)))) {
    engine.registerSecurityHandler(scheme, authenticate)
  }
  engine.register('postSecurityHandler', async ({ security, operation, request }: Matched, ctx: Koa) => {
    // openapi-backend files what a security handler throws, and would answer 401 to a database that is down.
    for (const outcome of Object.values(security ?? {})) if (outcome?.error) throw outcome.error
    const endpoint = operation as unknown as Endpoint
    ctx.state.operation = endpoint
    // Whole, before any transaction: a caller who hangs up half-way leaves no connection waiting.
    const largest = endpoint.security.length > 0 ? MAX_BODY : MAX_ANONYMOUS
    if (endpoint.bodies) (request as unknown as Call).received = await takeBody(ctx, { largest })
  })

  return async (ctx, next) => {
    if (!ctx.path.startsWith(prefix) || (ctx.path.length > prefix.length && ctx.path[prefix.length] !== '/'))
      return next()
    ctx.set('Cache-Control', 'private, no-cache')
    ctx.vary('Accept, Authorization')
    send(ctx, await deps.unlessSilent(() => serve(ctx)).catch((error) => refuse(ctx, error)))
  }

  async function serve(ctx: Koa): Promise<HttpReply> {
    const call = callOf({
      method: methodOf(ctx),
      path: ctx.path,
      search: ctx.querystring,
      headers: ctx.headers as Call['headers'],
    })
    const answer = await answerOf(await engine.handleRequest(call, ctx))
    return deps.strict ? held(ctx, answer) : answer
  }

  function refuse(ctx: Koa, error: unknown): HttpReply {
    const problem = problemOf(ctx, error)
    const answer = refusal(ctx, problem)
    return deps.strict && !(problem instanceof HttpError && problem.code === 'contract_broken')
      ? held(ctx, answer)
      : answer
  }

  function problemOf(ctx: Koa, error: unknown): Problem {
    if (error instanceof Problem) return error
    const problem = deps.translate(error)
    if (problem) return problem
    const { requestId = '', operation, log } = ctx.state
    if (log) log.error({ err: error, id: requestId, operationId: operation?.operationId }, 'unexpected')
    else ctx.app.emit('error', error, ctx)
    return httpErrors.serverError(requestId)
  }

  function refusal(ctx: Koa, problem: Problem): HttpReply {
    const { status, body, contentType } = version.refuse(problem, {
      instance: ctx.path,
      path: ctx.path.slice(prefix.length),
      requestId: ctx.state.requestId ?? '',
      operationId: ctx.state.operation?.operationId,
    })
    const headers: Record<string, string> = { 'content-type': contentType }
    if (status === 401) headers['www-authenticate'] = 'Basic realm="api"'
    if (problem.retryAfter !== undefined) headers['retry-after'] = String(problem.retryAfter)
    if (problem instanceof HttpError)
      for (const [name, value] of Object.entries(problem.headers)) headers[name.toLowerCase()] = value
    return { status, headers, body: JSON.stringify(body) }
  }

  /** The answer, or where it breaks the contract a refusal that says how. */
  function held(ctx: Koa, answer: HttpReply): HttpReply {
    const endpoint: Endpoint | undefined = ctx.state.operation
    if (!endpoint) return answer
    const found = engine.check.breaches(endpoint, {
      status: answer.status,
      headers: { ...ctx.response.headers, ...answer.headers },
      contentType: answer.headers['content-type'] ?? '',
      body:
        typeof answer.body === 'string' && /json/.test(answer.headers['content-type'] ?? '')
          ? JSON.parse(answer.body)
          : undefined,
    })
    return found.length ? refusal(ctx, httpErrors.contractBroken(found)) : answer
  }
}

const OVERRIDES = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Returns the method that is meant: old proxies and clients let only GET and POST through, and name another one beside POST.
 * @throws {HttpError} 400 for a name that is none of {@link OVERRIDES}
 */
function methodOf(ctx: Koa): string {
  const override = ctx.get('x-http-method-override').trim().toUpperCase()
  if (ctx.method !== 'POST' || override === '' || override === 'POST') return ctx.method
  if (OVERRIDES.has(override)) return override
  throw httpErrors.invalid([fieldError('X-HTTP-Method-Override', 'invalid_value', {}, 'must be PUT, PATCH or DELETE')])
}

function assertComplete(prefix: string, endpoints: readonly Endpoint[], handlers: Version['handlers']): void {
  const declared = new Set(endpoints.map(({ operationId }) => operationId))
  const unserved = [...declared].filter((id) => typeof handlers[id] !== 'function')
  const undeclared = Object.keys(handlers).filter((id) => !declared.has(id))
  if (unserved.length) throw new Error(`${prefix}: no handler for ${unserved.join(', ')}`)
  if (undeclared.length) throw new Error(`${prefix}: no operation for ${undeclared.join(', ')}`)
}
