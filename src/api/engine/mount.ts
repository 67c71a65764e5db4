import type { Context as Koa, Middleware } from 'koa'
import type { Context as Matched } from 'openapi-backend'
import type { Priority } from '../../domain/admission.ts'
import { fieldError } from '../../domain/field-error.ts'
import { Problem, problems } from '../../domain/problem.ts'
import type { RequestLimits } from '../../domain/request-limits.ts'
import { basePathOf } from '../../lib/base-path.ts'
import { rateLimitNetwork } from '../../lib/network.ts'
import { assertNotCrossSite } from './authenticate.ts'
import { MAX_ANONYMOUS_BODY_BYTES, MAX_BODY_BYTES, readBody } from './body.ts'
import { type Endpoint, endpointsOf, fallbackReplies } from './contract.ts'
import { type Call, callOf, Engine } from './engine.ts'
import { HttpError, httpErrors } from './http-error.ts'
import type { MountOptions, Version } from './operation.ts'
import { withETag } from './repeatable.ts'
import { type HttpReply, httpReplyOf, send } from './reply.ts'
import { operationRunner } from './run-operation.ts'
import { readUpload } from './upload.ts'

/** Returns all operations of a version. */
export const operationsOf = ({ contract, prefix }: Pick<Version, 'contract' | 'prefix'>) =>
  endpointsOf(contract).map(({ method, path, operationId }) => ({ method, path: prefix + path, operationId }))

/**
 * Serves a version of the API: finds the operation, authenticates, reads the body, validates, runs the handler (in a
 * transaction if the method writes), commits, and replies. Passes requests outside the prefix to the next middleware.
 * @throws Error if an operation has no handler, or if a handler has no operation
 */
export async function mount(version: Version, deps: MountOptions): Promise<Middleware> {
  const { prefix, handlers } = version
  const engine = new Engine(version.contract, prefix)
  assertComplete(prefix, engine.endpoints, handlers)

  for (const endpoint of engine.endpoints) {
    const run = operationRunner(endpoint, engine, version, { ...deps, replyTo })
    const priority = priorityOf(endpoint)
    engine.registerHandler(endpoint.operationId, ({ request }: Matched, ctx: Koa) =>
      deps.services.admission.run(priority, () =>
        run((request as unknown as Call).values, (request as unknown as Call).search, ctx),
      ),
    )
  }

  const fallback = fallbackReplies(version.contract)
  const basePath = basePathOf(deps.services.baseUrl)

  function priorityOf({ operationId }: Endpoint): Priority {
    return version.submissions?.has(operationId) ? 'high' : 'normal'
  }

  /**
   * Remembers the operation of a request. For a deprecated operation, adds header fields with the date of deprecation
   * and the URL of the deprecation rules to every reply.
   */
  const begin = (ctx: Koa, endpoint: Endpoint) => {
    if (ctx.state.operation) return
    ctx.state.operation = endpoint
    if (!endpoint.deprecation) return
    ctx.set({ ...endpoint.deprecation })
    const rules = `${deps.services.baseUrl}${prefix.replace('/api/', '/docs/')}/#/section/deprecation`
    ctx.append('Link', `<${rules}>; rel="deprecation"; type="text/html"`)
  }

  /** An overloaded server does not spend time on the credentials of requests that it rejects. */
  const authenticateIfFree = async (ctx: Koa, endpoint: Endpoint) => {
    deps.services.admission.assertFree(priorityOf(endpoint))
    return deps.authenticate(ctx, endpoint.scopes)
  }

  const authenticate = async ({ operation }: Matched, ctx: Koa) => {
    begin(ctx, operation as unknown as Endpoint)
    // Both security schemes call this function and share its result.
    assertNotCrossSite(ctx, deps.services)
    ctx.state.authentication ??= authenticateIfFree(ctx, operation as unknown as Endpoint)
    ctx.state.actor = await ctx.state.authentication
    return true
  }
  for (const scheme of new Set(engine.endpoints.flatMap(({ security }) => security.flatMap(Object.keys)))) {
    engine.registerSecurityHandler(scheme, authenticate)
  }
  engine.register('postSecurityHandler', async ({ security, operation, request }: Matched, ctx: Koa) => {
    const endpoint = operation as unknown as Endpoint
    begin(ctx, endpoint)
    // openapi-backend catches the errors of security handlers, and would reply with 401 if the database is down.
    const failure = Object.values(security ?? {}).find((outcome) => outcome?.error)?.error
    const isOutage = failure && (!(failure instanceof Problem) || failure.kind === 'unavailable')
    const exceeded = isOutage ? undefined : countRequest(ctx, deps.services.requestLimits, deps.clock())
    if (exceeded ?? failure) throw exceeded ?? failure
    deps.services.admission.assertFree(priorityOf(endpoint))
    // The body is read before any transaction, so that a slow or disconnected client does not occupy a connection.
    const maxBytes = endpoint.security.length > 0 ? MAX_BODY_BYTES : MAX_ANONYMOUS_BODY_BYTES
    const call = request as unknown as Call
    if (version.uploads?.has(endpoint.operationId)) call.received = await readUpload(ctx, deps.services)
    else if (endpoint.bodies) call.received = await readBody(ctx, { maxBytes })
  })

  return async (ctx, next) => {
    if (!ctx.path.startsWith(prefix) || (ctx.path.length > prefix.length && ctx.path[prefix.length] !== '/'))
      return next()
    ctx.set('Cache-Control', 'private, no-cache')
    ctx.vary('Accept, Authorization')
    const reply = deps.rejectOnOutage(() => serve(ctx)).catch((error) => handleError(ctx, error))
    send(ctx, await reply.finally(() => ctx.state.upload?.remove()))
  }

  async function serve(ctx: Koa): Promise<HttpReply> {
    const call = callOf({
      method: methodOf(ctx),
      path: ctx.path,
      search: ctx.querystring,
      headers: ctx.headers as Call['headers'],
    })
    const reply = withETag(ctx, await httpReplyOf(await engine.handleRequest(call, ctx)))
    return deps.strict ? assertMatchesContract(ctx, reply) : reply
  }

  function handleError(ctx: Koa, error: unknown): HttpReply {
    // A request that no operation matches fails before it is counted, so it is counted here.
    const exceeded =
      error instanceof HttpError ? countRequest(ctx, deps.services.requestLimits, deps.clock()) : undefined
    const problem = problemOf(ctx, exceeded ?? error)
    const reply = replyTo(ctx, problem)
    return deps.strict && !(problem instanceof HttpError && problem.code === 'contract_broken')
      ? assertMatchesContract(ctx, reply)
      : reply
  }

  function problemOf(ctx: Koa, error: unknown): Problem {
    if (error instanceof Problem) return error
    const problem = deps.translate(error)
    if (problem) return problem
    const { requestId = '', operation, log } = ctx.state
    if (log) log.error({ err: error, id: requestId, operationId: operation?.operationId }, 'unexpected error')
    else ctx.app.emit('error', error, ctx)
    return httpErrors.serverError(requestId)
  }

  function replyTo(ctx: Koa, problem: Problem): HttpReply {
    const { status, body, contentType } = version.errorReply(problem, {
      instance: basePath + ctx.path,
      path: ctx.path.slice(prefix.length),
      requestId: ctx.state.requestId ?? '',
      operationId: ctx.state.operation?.operationId,
    })
    const headers: HttpReply['headers'] = { 'content-type': contentType }
    if (status === 401) headers['www-authenticate'] = ctx.get('authorization') ? BASIC_CHALLENGE : CHALLENGES
    if (problem.retryAfter !== undefined) headers['retry-after'] = String(problem.retryAfter)
    if (problem instanceof HttpError)
      for (const [name, value] of Object.entries(problem.headers)) headers[name.toLowerCase()] = value
    return { status, headers, body: JSON.stringify(body) }
  }

  /** Returns the reply if it matches the contract, otherwise an error reply that lists the violations. */
  function assertMatchesContract(ctx: Koa, reply: HttpReply): HttpReply {
    const endpoint: Pick<Endpoint, 'operationId' | 'replies'> | undefined =
      ctx.state.operation ?? (fallback && { operationId: 'no operation', replies: fallback })
    if (!endpoint) return reply
    const violations = engine.check.violations(endpoint, {
      status: reply.status,
      headers: { ...ctx.response.headers, ...reply.headers },
      contentType: reply.headers['content-type'] ?? '',
      body:
        typeof reply.body === 'string' && /json/.test(reply.headers['content-type'] ?? '')
          ? JSON.parse(reply.body)
          : undefined,
    })
    return violations.length ? replyTo(ctx, httpErrors.contractBroken(violations)) : reply
  }
}

const BASIC_CHALLENGE = 'Basic realm="api"'
/**
 * The challenges of a request without credentials (RFC 6750, 3), as two header lines, because clients of the first
 * release compare the first line.
 */
const CHALLENGES = [BASIC_CHALLENGE, 'Bearer realm="api"']

const OVERRIDES = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Returns the method of a request. `X-HTTP-Method-Override` replaces POST, for clients behind proxies that allow only
 * GET and POST.
 * @throws {HttpError} 400 if the header of a POST request names a method that is not in {@link OVERRIDES}
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

/**
 * Counts a request for its account, or for its network if it is not authenticated. Sets the header fields `RateLimit`
 * and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). If the function is called again for the same request,
 * it does nothing.
 * @returns the problem if the request exceeds the limit, otherwise undefined
 */
function countRequest(ctx: Koa, limits: RequestLimits, now: Date): Problem | undefined {
  if (ctx.state.isCounted) return undefined
  ctx.state.isCounted = true
  const { actor } = ctx.state
  const usage = limits.count(actor, actor ? '' : rateLimitNetwork(ctx.ip), now)
  if (!usage) return undefined
  const { name, requests, seconds, remaining, resetSeconds } = usage
  ctx.res.setHeader('RateLimit-Policy', `"${name}";q=${requests};w=${seconds}`)
  ctx.res.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`)
  if (!usage.isExceeded) return undefined
  const owner = actor ? 'your account' : 'your address without valid credentials'
  return problems.tooManyRequests(
    `Too many requests from ${owner}: more than ${requests} in ${seconds} seconds.`,
    resetSeconds,
  )
}
