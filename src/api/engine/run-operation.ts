import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import { lazyContext } from '../../domain/context.ts'
import { type Problem, problems } from '../../domain/problem.ts'
import { SpooledFile } from '../../lib/temporary-files.ts'
import type { Endpoint } from './contract.ts'
import type { Call, Engine } from './engine.ts'
import type { AnyHandler, AnyReply, AnyRequest, MountOptions, Version } from './operation.ts'
import { serveOnce, writeIfMatch } from './repeatable.ts'
import type { HttpReply } from './reply.ts'

type Runner = (values: Call['values'], search: string, ctx: Koa) => Promise<AnyReply>
type Handle = (request: AnyRequest) => Promise<AnyReply>

interface RunnerOptions extends Pick<MountOptions, 'fork' | 'clock' | 'services' | 'translate'> {
  replyTo(ctx: Koa, problem: Problem): HttpReply
}

const WRITE_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Returns the value by which the bodies of requests with the same Idempotency-Key are compared: the digest of a file or
 * of bytes, or the body itself.
 */
const contentOf = (body: unknown): unknown =>
  Buffer.isBuffer(body)
    ? createHash('sha256').update(body).digest('base64')
    : body instanceof SpooledFile
      ? [body.name, body.digest]
      : body

/**
 * Returns the function that runs an operation.
 * - If the method writes, the operation runs in a transaction, unless the handler manages its own transactions.
 * - If the request has an Idempotency-Key and the operation stores something, the operation runs once for each key.
 * - If the request has If-Match, the operation runs only if the resource has one of the ETags.
 */
export function operationRunner(
  endpoint: Endpoint,
  { endpoints, check }: Engine,
  { prefix, handlers, ownTransactions, withoutEffect, locks, replicaReads }: Version,
  { fork, clock, services, translate, replyTo }: RunnerOptions,
): Runner {
  const handlerOf = (operationId: string) => handlers[operationId] as AnyHandler as unknown as Handle
  const handler = handlerOf(endpoint.operationId)
  const { method, path, operationId } = endpoint
  const read = endpoints.find((one) => one.method === 'GET' && one.path === path)?.operationId
  const joinTransaction = ownTransactions?.[operationId]
  const lock = locks?.[operationId]
  const hasEffect = WRITE_METHODS.has(method) && !withoutEffect?.has(operationId)

  return (values, search, ctx) => {
    const isAbandoned = () => ctx.res.writableEnded || ctx.res.closed
    const contextValues = { actor: ctx.state.actor, now: clock(), services, ipAddress: ctx.ip, isAbandoned }
    const rest = { method: ctx.method, search, ipAddress: ctx.ip, httpVersion: ctx.req.httpVersion, ...values }
    const transact = <Result>(
      work: (em: EntityManager) => Promise<Result>,
      isolationLevel?: 'repeatable read' | 'read committed',
    ) =>
      fork().transactional((em) => {
        // The client disconnected, or got an error reply, while the request waited for a database connection.
        if (isAbandoned()) throw problems.unavailable()
        return work(em)
      }, isolationLevel && { isolationLevel })

    const key = method === 'POST' && hasEffect ? values.headers['idempotency-key'] : undefined
    if (key !== undefined)
      return serveOnce({
        key: key as string,
        accountId: ctx.state.actor?.id,
        operation: `${prefix} ${operationId}`,
        content: [values.path, search, contentOf(values.body)],
        transact,
        contextIn: (em) => {
          const context = { em, ...contextValues }
          return joinTransaction ? joinTransaction(context) : context
        },
        run: (context) => handler({ context, ...rest }),
        problemOf: translate,
        errorReply: (problem) => replyTo(ctx, problem),
      })

    const ifMatch = method === 'POST' ? undefined : values.headers['if-match']
    if (ifMatch !== undefined && read !== undefined)
      return writeIfMatch({
        ifMatch: ifMatch as string,
        lock: lock && ((em) => lock(em, values.path)),
        transact,
        contextIn: (em) => ({ em, ...contextValues }),
        read: (context) => handlerOf(read)({ ...rest, context, search: '', query: check.defaultQuery(read) }),
        write: (context) => handler({ context, ...rest }),
        problemOf: translate,
      })

    if (replicaReads?.has(operationId))
      return services.replicas.read(lazyContext(fork, contextValues), (context) => handler({ context, ...rest }))
    if (joinTransaction || !hasEffect) return handler({ context: lazyContext(fork, contextValues), ...rest })
    return transact((em) => handler({ context: { em, ...contextValues }, ...rest }))
  }
}
