import type { Readable } from 'node:stream'
import type { Context } from '../../domain/context.ts'

type Part<T, K extends string> = T extends { [P in K]?: infer V } ? Exclude<V, undefined> : never
type Params<Op> = Op extends { parameters: infer P } ? P : never
type Success = `2${string}` | `3${string}`

/** Every content type's schema; they are one schema where an operation takes JSON and forms alike. */
type Content<T> = T extends { content: infer C } ? C[keyof C] : undefined

/** What the contract lets a client send, checked, coerced and with its defaults. */
export interface Request<Op> {
  context: Context
  path: Part<Params<Op>, 'path'>
  query: Part<Params<Op>, 'query'>
  headers: Part<Params<Op>, 'header'>
  /** JSON or form, `{}` when none was sent; a text for `text/csv`. */
  body: Op extends { requestBody?: infer B } ? Content<Exclude<B, undefined>> : undefined
  /** The query string as it was sent, without its `?`: filters such as `_created_at>2026-01-01` are read from it. */
  search: string
  /** Where it comes from, as far as TRUSTED_PROXIES are believed. */
  ipAddress: string
}

type Headers = Readonly<Record<string, string>>

/** JSON, as a value or as text that is JSON already: what the database wrote need not be parsed to be sent. */
type JsonReply<S, Body> = { status: S; body: Body; headers?: Headers } | { status: S; json: string; headers?: Headers }
/** Anything else, streamed. The headers name its type; a failure before the first byte is answered, a later one breaks the connection. */
interface StreamReply<S> {
  status: S
  stream: Readable
  headers: Headers & { 'Content-Type': string }
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

/** What the contract lets us answer. Failures are thrown as `Problem`s, never returned. */
export type Reply<Op> = Op extends { responses: infer R }
  ? { [S in keyof R & number]: `${S}` extends Success ? ReplyOf<S, R[S]> : never }[keyof R & number]
  : never

export type Handler<Op> = (request: Request<Op>) => Promise<Reply<Op>>

/** What is asked of us; what we ask of a webhook's subscriber is described too, but not served. */
export type Served<Ops> = Omit<Ops, 'surveyCreate' | 'responseComplete' | 'reportCreate' | 'contactCreate'>

/** One handler for every operation: a missing one does not compile. */
export type Handlers<Ops> = { readonly [Id in keyof Ops]: Handler<Ops[Id]> }

/** A request and a reply of any operation, as the engine passes them on. */
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
}
/** Any handler; which request it takes only its operation knows. */
export type AnyHandler = (request: never) => Promise<AnyReply>
