import { hash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { Context } from '../../domain/context.ts'
import { type KeptReply, type KeyedRequest, keepReply, lockKey } from '../../domain/idempotency.ts'
import { kilobytes } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import { hasTag } from '../../lib/http.ts'
import { rateLimitNetwork } from '../../lib/network.ts'
import { httpErrors, statusOf } from './http-error.ts'
import type { AnyReply } from './operation.ts'
import { type HttpReply, httpReplyOf } from './reply.ts'

/**
 * Maximum number of attempts if other requests change the same rows at the same time. After the last attempt, the
 * client gets `busy`.
 */
const MAX_ATTEMPTS = 5

/** Returns the ETag of a representation (RFC 9110, 8.8.3): a hash of its bytes. */
const etagOf = (body: string): string => `"${hash('sha1', body, 'base64url')}"`

/**
 * Adds an ETag to the JSON reply to a GET. If the client already has this version, returns 304 instead (RFC 9110,
 * 13.1.2).
 */
export function withETag(ctx: Koa, reply: HttpReply): HttpReply {
  if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || reply.status !== 200 || typeof reply.body !== 'string')
    return reply
  const etag = etagOf(reply.body)
  if (hasTag(ctx.get('If-None-Match'), etag)) return { status: 304, headers: { etag }, body: undefined }
  return { ...reply, headers: { ...reply.headers, etag } }
}

/** A write that depends on the state of its resource. */
interface ConditionalWrite {
  ifMatch: string
  /**
   * Locks the rows that the write changes. If it is undefined, the write runs at repeatable read, which detects
   * concurrent changes.
   */
  lock: ((em: EntityManager) => Promise<void>) | undefined
  transact<Result>(
    work: (em: EntityManager) => Promise<Result>,
    isolationLevel: 'repeatable read' | 'read committed',
  ): Promise<Result>
  contextIn(em: EntityManager): Context
  /** Runs the GET operation of the same path. */
  read(context: Context): Promise<AnyReply>
  write(context: Context): Promise<AnyReply>
  /** Returns the Problem for an error that the caller can cause; undefined for any other error. */
  problemOf(error: unknown): Problem | undefined
}

/**
 * Runs a write only if its resource has one of the ETags in `ifMatch` (RFC 9110, 13.1.1). Ensures that no other request
 * changes the resource between this check and the commit. A write with a lock checks the ETag again after it has
 * acquired the lock. A write without a lock runs at repeatable read: if another transaction changes the same rows, the
 * write fails and is tried again.
 * @throws {HttpError} 412 `precondition_failed`; otherwise as `read` and `write`
 */
export async function writeIfMatch({ lock, transact, contextIn, ...request }: ConditionalWrite): Promise<AnyReply> {
  if (request.ifMatch.trim() === '') throw httpErrors.emptyIfMatch()
  const check = async (em: EntityManager) => {
    // Reads with a forked entity manager. Otherwise, the entity manager of the write would find these entities in its
    // identity map, even if they are outdated when the lock is acquired.
    const context = contextIn(em.fork({ keepTransactionContext: true }))
    const { body } = await httpReplyOf(await request.read(context))
    if (!hasTag(request.ifMatch, etagOf(body as string))) throw httpErrors.preconditionFailed()
  }
  for (let attempt = 1; ; attempt += 1)
    try {
      return await transact(
        async (em) => {
          await check(em)
          if (lock) {
            await lock(em)
            await check(em)
          }
          return request.write(contextIn(em))
        },
        lock ? 'read committed' : 'repeatable read',
      )
    } catch (error) {
      const problem = error instanceof Problem ? error : request.problemOf(error)
      if (problem?.code !== 'busy' || attempt === MAX_ATTEMPTS) throw error
    }
}

/** A request with an Idempotency-Key, and the functions that serve it. */
interface OneTimeRequest {
  /** The value of the header: the key in quotation marks (a structured string, RFC 9651), or the key alone. */
  key: string
  accountId: number | undefined
  /** The path prefix of the version, and the operationId. */
  operation: string
  /** Path parameters, query and body. */
  content: unknown
  /** Runs work in a transaction. */
  transact<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result>
  contextIn(em: EntityManager): Context
  run(context: Context): Promise<AnyReply>
  /** Returns the Problem for an error that the caller can cause; undefined for any other error. */
  problemOf(error: unknown): Problem | undefined
  errorReply(problem: Problem): HttpReply
}

/** Maximum size of a reply that is kept. */
const MAX_KEPT_BYTES = 1_000_000

/**
 * Serves a request once for each key. A repeated request gets the reply to the first request
 * (draft-ietf-httpapi-idempotency-key-header, docs/decisions.md 2.15). A successful reply is stored in the transaction
 * of the request. An error reply is stored in a second transaction, after the first one was rolled back. Error replies
 * with status 5xx, and those that ask the client to try again, are not stored. For a reply of more than 1 MB, the error
 * `reply_not_kept` is stored instead: the request is not executed again.
 * @throws {HttpError} 409 `request_in_progress`, 422 `idempotency_key_reused`; otherwise as `run`
 */
export async function serveOnce(request: OneTimeRequest): Promise<AnyReply> {
  const { key, accountId, operation, content, transact, contextIn } = request
  const keyed: KeyedRequest = {
    accountId,
    name: `${operation} ${/^"(.*)"$/.exec(key)?.[1] ?? key}`,
    content: JSON.stringify(content),
  }
  let refused: KeptReply | undefined
  try {
    return await transact(async (em) => {
      const context = contextIn(em)
      const found = await lockKey(context, keyed)
      if (found === 'in_progress') throw httpErrors.requestInProgress()
      if (found === 'reused') throw httpErrors.idempotencyKeyReused()
      if (found !== 'new') return replayOf(found)
      const { idempotencyKeys, idempotentReplies } = context.services.limits
      const limitKey = accountId === undefined ? rateLimitNetwork(context.ipAddress ?? '') : `account ${accountId}`
      await idempotencyKeys.consume(limitKey)
      const reply = await request.run(context).catch((error) => {
        refused = refusalOf(request, error)
        throw error
      })
      const kept = keptReplyOf(reply)
      const bytes = Buffer.byteLength(kept.body)
      const isKept =
        bytes <= MAX_KEPT_BYTES &&
        (await idempotentReplies.consume(limitKey, kilobytes(bytes)).then(
          () => true,
          () => false,
        ))
      await keepReply(context, keyed, isKept ? kept : keptErrorOf(request.errorReply(httpErrors.replyNotKept())))
      return reply
    })
  } catch (error) {
    const reply = refused
    // The error reply is stored after the rollback, unless another request with the same key was served in the
    // meantime. If it cannot be stored, the client gets it nevertheless: a retry would fail with the same error.
    if (reply)
      await transact(async (em) => {
        const context = contextIn(em)
        if ((await lockKey(context, keyed)) === 'new') await keepReply(context, keyed, reply)
      }).catch(() => {})
    throw error
  }
}

const replayOf = ({ status, headers, body }: KeptReply): AnyReply => ({
  status,
  json: body,
  headers: { ...headers, 'Idempotent-Replayed': 'true' },
})

function keptReplyOf({ status, headers = {}, json, body, stream }: AnyReply): KeptReply {
  if (stream) throw new Error('A stream cannot be replayed.')
  return { status, headers, body: json ?? JSON.stringify(body ?? null) }
}

const keptErrorOf = ({ status, headers, body }: HttpReply): KeptReply => ({ status, headers, body: body as string })

/** Returns the error reply to a request that would fail again, or undefined if a retry can succeed. */
function refusalOf({ problemOf, errorReply }: OneTimeRequest, error: unknown): KeptReply | undefined {
  const problem = error instanceof Problem ? error : problemOf(error)
  if (!problem || statusOf(problem) >= 500 || problem.retryAfter !== undefined || problem.code === 'busy') return
  const reply = errorReply(problem)
  return reply.status < 500 ? keptErrorOf(reply) : undefined
}
