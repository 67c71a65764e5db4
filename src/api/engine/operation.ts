import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context as Koa } from 'koa'
import type { Actor, Context } from '../../domain/context.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import type { SpooledFile } from '../../lib/temporary-files.ts'
import type { XLSX_TYPE } from '../../lib/xlsx/media-type.ts'
import type { Contract } from './contract.ts'

type Part<T, K extends string> = T extends { [P in K]?: infer V } ? Exclude<V, undefined> : never
type Params<Op> = Op extends { parameters: infer P } ? P : never
type Success = `2${string}` | `3${string}`

/** The union of the body types of all content types. JSON and forms usually have the same schema. */
type Content<T> = T extends { content: infer C }
  ? typeof XLSX_TYPE extends keyof C
    ? Buffer | ('text/csv' extends keyof C ? string : never)
    : 'application/octet-stream' extends keyof C
      ? SpooledFile
      : C[keyof C]
  : undefined

/** The header fields with their names in lower case, as handlers receive them. */
type LowerCase<Fields> = { [Name in keyof Fields as Lowercase<Name & string>]: Fields[Name] }

/** A validated and coerced request, with defaults, typed by the contract. */
export interface Request<Op> {
  context: Context
  /** A HEAD request runs the handler of GET, and the body of the reply is not sent. */
  method: string
  path: Part<Params<Op>, 'path'>
  query: Part<Params<Op>, 'query'>
  headers: LowerCase<Part<Params<Op>, 'header'>>
  /**
   * The parsed JSON or form (`{}` if the request has no body), the text of a CSV file, the bytes of a workbook, or the
   * temporary file that contains an uploaded file.
   */
  body: Op extends { requestBody?: infer B } ? Content<Exclude<B, undefined>> : undefined
  /** The raw query string without `?`, for filters such as `_created_at>2026-01-01`. */
  search: string
  /** The IP address of the client, as determined with TRUSTED_PROXIES. */
  ipAddress: string
  /** The version of HTTP that the client or the proxy speaks, such as `1.1`. */
  httpVersion: string
}

type Headers = Readonly<Record<string, string>>

/** A JSON reply: a value in `body`, or text that is already JSON in `json`, for example from the database. */
type JsonReply<S, Body> = { status: S; body: Body; headers?: Headers } | { status: S; json: string; headers?: Headers }
/**
 * A streamed reply. If an error occurs before the first byte, the client gets an error reply. A later error closes the
 * connection.
 */
interface StreamReply<S> {
  status: S
  stream: Readable
  headers: Headers & { 'Content-Type': string }
  trailer?: Trailer
}
/** A field after the body, for clients that accept trailers (RFC 9110, 6.5). */
export interface Trailer {
  name: string
  /** Returns the value. Called after the last byte of the body has been read. */
  value(): string
}
interface EmptyReply<S> {
  status: S
  headers?: Headers
}

type ReplyOf<S, R> = R extends { content: infer C }
  ? [C] extends [never]
    ? EmptyReply<S>
    :
        | ('application/json' extends keyof C ? JsonReply<S, C['application/json' & keyof C]> : never)
        | (Exclude<keyof C, 'application/json'> extends never ? never : StreamReply<S>)
  : EmptyReply<S>

/** A successful reply, typed by the contract. Errors are thrown as `Problem`s. */
export type Reply<Op> = Op extends { responses: infer R }
  ? { [S in keyof R & number]: `${S}` extends Success ? ReplyOf<S, R[S]> : never }[keyof R & number]
  : never

export type Handler<Op> = (request: Request<Op>) => Promise<Reply<Op>>

/** The operations that the service implements. Leaves out the webhook messages, which the contract describes too. */
export type Served<Ops> = Omit<Ops, 'surveyCreate' | 'responseComplete' | 'reportCreate' | 'contactCreate'>

/** A handler for every operation. The compiler reports a missing handler. */
export type Handlers<Ops> = { readonly [Id in keyof Ops]: Handler<Ops[Id]> }

/** A request and a reply of any operation. */
export type AnyRequest = Request<{
  parameters: { path: object; query: object; header: object }
  requestBody: { content: { any: unknown } }
}>
export interface AnyReply {
  status: number
  body?: unknown
  json?: string
  stream?: Readable
  headers?: Headers
  trailer?: Trailer
}
/** A handler of any operation. */
export type AnyHandler = (request: never) => Promise<AnyReply>

export interface MountOptions {
  /** Returns a new entity manager for a request. */
  fork(): EntityManager
  clock(): Date
  services: Services
  /**
   * Authenticates the caller.
   * @param scopes the scopes that an access token must have; ignored for a password
   * @throws {Problem} `unauthenticated` or another problem; an error that is not a Problem means an outage
   */
  authenticate(ctx: Koa, scopes: readonly string[]): Promise<Actor>
  /** Returns the Problem for a database error that a caller caused, or that is temporary. */
  translate(error: unknown): Problem | undefined
  /**
   * Returns the result of `work`. Rejects as soon as the database stops responding.
   * @throws {Problem} `unavailable`
   */
  rejectOnOutage<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether to replace replies that violate the contract with 500 `contract_broken`. For tests. */
  strict: boolean
}

/** A version of the API: its contract, a handler for each operation, and the format of its error replies. */
export interface Version {
  /** For example `/api/v3`. */
  prefix: string
  contract: Contract
  handlers: Readonly<Record<string, AnyHandler>>
  /**
   * Operations that manage their own transactions. If a request has an Idempotency-Key, the function makes the
   * operation run in the transaction of the context instead.
   */
  ownTransactions?: Readonly<Record<string, (context: Context) => Context>>
  /** Operations with POST that store nothing. They run without a transaction and ignore an Idempotency-Key. */
  withoutEffect?: ReadonlySet<string>
  /**
   * Operations for which If-Match is checked while the rows are locked. The function of an operation locks the rows
   * that the operation writes.
   */
  locks?: Readonly<Record<string, (em: EntityManager, path: Readonly<Record<string, unknown>>) => Promise<void>>>
  /** Operations that submit responses. They have priority over other operations. */
  submissions?: ReadonlySet<string>
  /** Operations whose body is a file. The file is written to disk as it arrives, because it can be large. */
  uploads?: ReadonlySet<string>
  /** Operations that read many rows. They use a read replica of the database if there is one. */
  replicaReads?: ReadonlySet<string>
  errorReply(problem: Problem, info: RequestInfo): { status: number; body: unknown; contentType: string }
}

/** The data of a request that are needed to create an error reply. */
export interface RequestInfo {
  /** The path of the request. */
  instance: string
  /** The path without the prefix of the version. */
  path: string
  requestId: string
  /** Undefined if no operation matches the request. */
  operationId: string | undefined
}
