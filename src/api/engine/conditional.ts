import { hash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { Context } from '../../domain/context.ts'
import { Problem } from '../../domain/problem.ts'
import { hasTag } from '../../lib/etag.ts'
import { httpErrors } from './http-error.ts'
import { type HttpReply, httpReplyOf } from './http-reply.ts'
import type { AnyReply } from './operation.ts'

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
export interface ConditionalWrite {
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
