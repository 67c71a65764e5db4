import { hash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { Context } from '../../domain/context.ts'
import { Problem } from '../../domain/problem.ts'
import { hasTag } from '../../lib/etag.ts'
import { httpErrors } from './http-error.ts'
import { type HttpReply, httpReplyOf } from './http-reply.ts'
import type { AnyReply } from './operation.ts'

/** Maximum number of attempts while other requests change the same rows. After the last one the client gets `busy`. */
const MAX_ATTEMPTS = 5

/** Returns the ETag of a representation (RFC 9110, 8.8.3): a hash of its bytes. */
const etagOf = (body: string): string => `"${hash('sha1', body, 'base64url')}"`

/** Adds an ETag to the JSON of a GET, and turns the reply into 304 if the client has it already (RFC 9110, 13.1.2). */
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
  /** Locks the rows that the write changes; undefined if the isolation level has to prevent concurrent changes. */
  lock: ((em: EntityManager) => Promise<void>) | undefined
  transact<Result>(
    work: (em: EntityManager) => Promise<Result>,
    isolationLevel: 'repeatable read' | 'read committed',
  ): Promise<Result>
  contextIn(em: EntityManager): Context
  /** Runs the GET of the same path. */
  read(context: Context): Promise<AnyReply>
  write(context: Context): Promise<AnyReply>
  /** Returns the Problem of an error that the caller can cause. */
  problemOf(error: unknown): Problem | undefined
}

/**
 * Runs a write only if its resource has one of the ETags (RFC 9110, 13.1.1), and no other request changes the resource
 * between this check and the commit. A write with a lock checks the ETag again once it holds the lock. A write without
 * a lock runs at repeatable read: it fails after a concurrent change of the same rows and is tried again.
 * @throws {HttpError} 412 `precondition_failed`; otherwise as `read` and `write`
 */
export async function writeIfMatch({ lock, transact, contextIn, ...request }: ConditionalWrite): Promise<AnyReply> {
  const check = async (em: EntityManager) => {
    // A fork, because the entity manager of the write would keep the entities that are read here in its identity map.
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
