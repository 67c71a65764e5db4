import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa, Middleware } from 'koa'
import type { PublicContext } from '../domain/context.ts'
import { Problem } from '../domain/problem.ts'
import type { Services } from '../domain/services.ts'
import { describe, failures, OAuthError } from './failure.ts'

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

type Outcome = { body: object } | { failure: OAuthError | Problem }

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
            // Any other error rolls the transaction back.
            if (!isAnswered(error)) throw error
            return { failure: error }
          }
        })
      const outcome = await deps.services.admission.run('normal', () => deps.rejectOnOutage(attempt))
      if ('failure' in outcome) throw outcome.failure
      ctx.status = 200
      ctx.body = outcome.body
    } catch (error) {
      sendError(ctx, isAnswered(error) ? error : (deps.translate(error) ?? error))
    }
  }

/** Returns whether an error has a reply of its own. */
const isAnswered = (error: unknown): error is OAuthError | Problem =>
  error instanceof OAuthError || error instanceof Problem

/** Sends an error (RFC 6749, 5.2). */
function sendError(ctx: Koa, error: unknown): void {
  if (error instanceof OAuthError) {
    const challenged = error.name === 'invalid_client' && usesBasic(ctx)
    if (challenged) ctx.set('WWW-Authenticate', 'Basic realm="oauth"')
    ctx.status = challenged ? 401 : 400
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

/** The credentials of a client. */
interface Credentials {
  clientId: string
  /** Undefined if the client sent none. */
  secret: string | undefined
}

/** Decodes a part of a Basic header. RFC 6749 (2.3.1) requires form encoding, which some clients omit. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/**
 * Returns whether a client uses HTTP Basic. If so, an `invalid_client` error is 401 with a challenge (RFC 6749, 5.2).
 */
const usesBasic = (ctx: Koa): boolean => /^Basic\b/i.test(ctx.get('authorization'))

/**
 * Returns the credentials of the client from the form or from HTTP Basic (RFC 6749, 2.3).
 * In the sample request of the original service (docs/decisions.md 3.6), the header has the credentials of the user. If
 * the form has a client ID and a secret, a Basic header is therefore ignored, unless it names the same client. A client
 * without a secret sends its ID alone. White space around an ID and a secret is ignored: it comes from copying.
 * @throws {OAuthError} `invalid_client`; `invalid_request` if the header has another secret for the client in the form,
 *   or if the form has only a secret, or only the ID of another client
 */
function credentialsOf(ctx: Koa, values: Readonly<Record<string, string>>): Credentials {
  const [clientId, secret] = [values.client_id?.trim(), values.client_secret?.trim()]
  const basic = usesBasic(ctx) ? basicCredentials(ctx) : undefined
  if (clientId && secret) {
    if (basic?.clientId === clientId && basic.secret !== secret)
      throw failures.invalidRequest('The client secrets in the header and in the form differ: send one of them')
    return { clientId, secret }
  }
  if (clientId && !usesBasic(ctx)) return { clientId, secret: undefined }
  if (!basic) throw failures.invalidClient()
  if (secret || (clientId && clientId !== basic.clientId))
    throw failures.invalidRequest('Send the client ID and secret either in the header or in the form')
  return basic
}

/**
 * Parses a Basic header. An empty secret is none.
 * @returns undefined for an invalid header
 */
function basicCredentials(ctx: Koa): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [clientId, secret] = [decodePart(text.slice(0, colon)).trim(), decodePart(text.slice(colon + 1)).trim()]
  return colon < 1 || text.includes('\0') ? undefined : { clientId, secret: secret || undefined }
}

/** The parameters of an OAuth request. */
export interface Parameters {
  /** The first value of each name; empty values are omitted (RFC 6749, 3.1 and 3.2). */
  values: Readonly<Record<string, string>>
  /** The repeated names of known parameters, which are errors (RFC 6749, 3.1 and 3.2). */
  repeated: readonly string[]
}

/** The known parameters. Others are ignored, even if they are repeated, as `resource` may be (RFC 8707, 2). */
const NAMES = new Set([
  ...['client_id', 'client_secret', 'redirect_uri', 'scope', 'state', 'response_type'],
  ...['code_challenge', 'code_challenge_method'],
  ...['grant_type', 'code', 'code_verifier', 'refresh_token', 'token', 'token_type_hint'],
])

/** Returns the parameters of a query. */
export function parametersOf(parameters: Iterable<readonly [name: string, value: string]>): Parameters {
  const values: Record<string, string> = Object.create(null)
  const names = new Set<string>()
  const repeated: string[] = []
  for (const [name, value] of parameters) {
    if (!names.has(name) && value !== '') values[name] = value
    else if (names.has(name) && NAMES.has(name)) repeated.push(name)
    names.add(name)
  }
  return { values, repeated }
}

/** Returns the parameters of a parsed body: a form, where a repeated name is a list, or a JSON object. */
function parametersIn(body: unknown): Parameters {
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  return parametersOf(
    members.flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value])
        .filter((one) => typeof one === 'string')
        .map((one): [string, string] => [name, one]),
    ),
  )
}
