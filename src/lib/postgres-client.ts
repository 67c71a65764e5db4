import { Socket } from 'node:net'
import { ArrayType, type Platform, type TransformContext } from '@mikro-orm/core'
import { Client, type ClientConfig, type DatabaseError, escapeLiteral } from 'pg'
import { type Candidate, type PostgresTarget, parsePostgresUrl, type SessionAttributes } from './postgres-url.ts'

/** Connection options of one database for `pg`, for clients and for pools. */
export type DatabaseOptions = ClientConfig & {
  /** The ways to the database, if there are several; {@link DatabaseClient} chooses one. */
  route?: () => Route
  bindsChannel?: boolean
  /** Settings of PostgreSQL for the session, in addition to {@link SESSION_SETTINGS}. */
  settings?: Readonly<Record<string, string>>
}

/**
 * Settings of every session, so that settings of the role, the database or the server cannot change what statements
 * mean or which errors occur. A setting that the version of PostgreSQL does not have is left out.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  jit: 'off',
}

/**
 * Returns the statement that applies settings. They are not sent as parameters of the connection, because poolers
 * refuse or ignore those.
 */
function applying(settings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(settings).map(([name, value]) => `(${escapeLiteral(name)}, ${escapeLiteral(value)})`)
  return `select set_config(name, value, false) from (values ${rows.join(', ')}) setting (name, value)
    where current_setting(name, true) is not null`
}

/** Time in which one of several addresses must respond, in milliseconds. */
const CANDIDATE_TIMEOUT_MS = 3_000

/**
 * SQLSTATEs with which a server refuses a connection, so that the next candidate is tried: no rule in `pg_hba.conf`
 * (with or without TLS), the server is starting, stopping or recovering.
 */
const TRY_NEXT = new Set(['28000', '57P01', '57P02', '57P03'])

const SERVER_STATE = `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::boolean as is_read_only`

interface ServerState {
  is_standby: boolean
  is_read_only: boolean
}

/** Which servers have the attributes. */
const ACCEPTS: Readonly<Record<SessionAttributes, (state: ServerState) => boolean>> = {
  any: () => true,
  'read-write': ({ is_read_only }) => !is_read_only,
  'read-only': ({ is_read_only }) => is_read_only,
  primary: ({ is_standby }) => !is_standby,
  standby: ({ is_standby }) => is_standby,
  'prefer-standby': ({ is_standby }) => is_standby,
}

/**
 * The ways to one database: several hosts, or with and without TLS (`sslmode` `allow` and `prefer`). One connection
 * finds the first way that works, and all connections use it until one fails.
 */
class Route {
  readonly target: PostgresTarget
  #found: Candidate | undefined
  #search: Promise<Candidate> | undefined

  constructor(target: PostgresTarget) {
    this.target = target
  }

  /** The way that worked last, or the first one. */
  get current(): Candidate {
    return copyOf(this.#found ?? this.target.candidates[0]!)
  }

  /** @throws the error of the last candidate if none works, or an error that no other candidate can avoid */
  async choose(): Promise<Candidate> {
    if (this.#found) return this.#found
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined
    })
    this.#found = await this.#search
    return this.#found
  }

  forget(candidate: Candidate): void {
    if (this.#found === candidate) this.#found = undefined
  }

  async #find(): Promise<Candidate> {
    const { candidates, attributes } = this.target
    const errors: { candidate: Candidate; error: Error & { code?: string } }[] = []
    let spare: Candidate | undefined
    for (const candidate of candidates) {
      // A host that cannot be reached with TLS cannot be reached without it either.
      const last = errors.at(-1)
      if (last && isSameServer(last.candidate, candidate) && isUnreachable(last.error)) continue
      try {
        if (await this.#accepts(candidate)) return candidate
        if (attributes === 'prefer-standby') spare ??= candidate
        errors.push({ candidate, error: new Error(`the server is not ${attributes} (target_session_attrs)`) })
      } catch (error) {
        errors.push({ candidate, error: error as Error })
        if (!mayTryNext(error as Error)) break
      }
    }
    if (spare) return spare
    throw combine(errors)
  }

  async #accepts(candidate: Candidate): Promise<boolean> {
    const { host, port, ssl } = copyOf(candidate)
    const { user, password, database, attributes, connectTimeoutMs, sslnegotiation } = this.target
    const client = new Client({
      user,
      password,
      database,
      host,
      port,
      ssl,
      sslnegotiation,
      application_name: 'canvass-probe',
      connectionTimeoutMillis: connectTimeoutMs ?? CANDIDATE_TIMEOUT_MS,
      query_timeout: CANDIDATE_TIMEOUT_MS,
    } as ClientConfig)
    client.on('error', () => undefined)
    try {
      await client.connect()
      if (attributes === 'any') return true
      return ACCEPTS[attributes]((await client.query<ServerState>(SERVER_STATE)).rows[0]!)
    } finally {
      void client.end().catch(() => undefined)
    }
  }
}

/** Returns a copy, because `pg` hides the private key in the TLS options that it receives. */
const copyOf = ({ host, port, ssl }: Candidate): Candidate => ({ host, port, ssl: ssl && { ...ssl } })

const isSameServer = (a: Candidate, b: Candidate): boolean => a.host === b.host && a.port === b.port

/** Returns whether an error of the network prevented the connection, before the server or TLS could. */
const isUnreachable = ({ code = '', message }: Error & { code?: string }): boolean =>
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOENT|EACCES)$/.test(code) ||
  /^timeout expired/.test(message)

/** Another candidate cannot avoid an error of authentication or a missing database. */
function mayTryNext({ code = '' }: Error & { code?: string }): boolean {
  return !/^[0-9A-Z]{5}$/.test(code) || TRY_NEXT.has(code)
}

/** Returns one error for all candidates. */
function combine(errors: readonly { candidate: Candidate; error: Error & { code?: string } }[]): Error {
  const { error } = errors.at(-1)!
  // That a server has no TLS does not matter if it was then asked without TLS.
  const relevant = errors.filter(({ candidate, error: { message } }, index) => {
    const next = errors[index + 1]?.candidate
    return !(candidate.ssl && next && !next.ssl && isSameServer(candidate, next) && /not support SSL/.test(message))
  })
  const reasons = relevant.map(({ candidate, error: { message, code } }) => {
    const { host, port, ssl } = candidate
    return `${host}:${port}${ssl ? ' with TLS' : ''}: ${message || code}`
  })
  if (relevant.length > 1) error.message = reasons.join('; ')
  return error
}

/** The routes by URL: all pools of a process share what one connection has found out. */
const routes = new Map<string, Route>()

function routeOf(url: string): Route {
  const known = routes.get(url)
  if (known) return known
  const route = new Route(parsePostgresUrl(url))
  routes.set(url, route)
  return route
}

/**
 * Returns the options for connections to the database of a URL. Every connection of the program gets its options here,
 * so that all have the TLS mode that the operator has set.
 * @param defaults further options
 * @throws {PostgresUrlError} if the URL cannot be used
 */
export function connectionTo<Defaults extends DatabaseOptions>(
  url: string,
  defaults: Defaults = {} as Defaults,
): Defaults & DatabaseOptions {
  const route = routeOf(url)
  const { target, current } = route
  const name = [defaults.application_name ?? 'canvass', target.label].filter(Boolean).join(' ')
  return {
    ...defaults,
    user: target.user,
    // `pg` reads the password file of PostgreSQL only if there is no password.
    ...(target.password !== undefined && { password: target.password }),
    database: target.database,
    ...current,
    sslnegotiation: target.sslnegotiation,
    application_name: name,
    settings: { ...SESSION_SETTINGS, ...defaults.settings },
    ...(target.options && { options: target.options }),
    ...(target.connectTimeoutMs && { connectionTimeoutMillis: target.connectTimeoutMs }),
    ...(target.candidates.length > 1 && { route: () => route }),
    ...(target.bindsChannel && { bindsChannel: true, enableChannelBinding: true }),
  }
}

/** Makes options that are read again for each connection follow the way that worked last. */
export function followRoute(options: DatabaseOptions): void {
  const route = options.route?.()
  if (!route) return
  for (const name of ['host', 'port', 'ssl'] as const)
    Object.defineProperty(options, name, { enumerable: true, get: () => route.current[name] })
}

/**
 * A client that chooses a way to the database when it connects. It owns its socket, so it can say what arrived and close
 * the connection at once; `pg` only asks for the socket.
 */
export class DatabaseClient extends Client {
  readonly #route: Route | undefined
  readonly #settings: string | undefined
  readonly #socket: Socket
  readonly #send: Client['query']
  #statements = 0
  #isWaiting = false
  /** The error that ended the connection while no query ran. */
  #end: Error | undefined

  constructor(config: string | DatabaseOptions = {}) {
    const options: DatabaseOptions = typeof config === 'string' ? { connectionString: config } : config
    const socket = new Socket()
    super(derived(options, { stream: () => socket }))
    this.#socket = socket
    const { route, bindsChannel, settings } = options
    this.#route = route?.()
    this.#settings = settings && applying(settings)
    // An error event without a listener ends the process, and PostgreSQL can end a connection at any time: while its
    // user waits for nothing, or in the packet that reports it as ready. The next query fails in any case.
    this.on('error', (error) => {
      this.#end ??= error
    })
    const send = this.query.bind(this) as (...input: unknown[]) => unknown
    this.#send = ((...input: unknown[]) => {
      const sent = send(...input)
      this.#statements += 1
      this.#isWaiting = true
      return sent
    }) as Client['query']
    this.query = this.#send
    this.on('drain', () => {
      this.#isWaiting = false
    })
    if (bindsChannel) requireChannelBinding(this)
  }

  /**
   * The number of the last statement, a `COPY` or a cursor too, while the client waits for its reply; undefined if it
   * waits for none.
   */
  get unansweredStatement(): number | undefined {
    return this.#isWaiting ? this.#statements : undefined
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  /** Closes the connection without a farewell, so that a running statement fails. */
  abandon(reason?: Error): void {
    this.#socket.destroy(reason)
  }

  override connect(): Promise<Client>
  override connect(callback: (error: Error) => void): void
  // biome-ignore lint/suspicious/noConfusingVoidType: the signature of `pg`
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    const connecting = this.#connect()
    if (!callback) return connecting
    connecting.then(() => callback(undefined as unknown as Error), callback)
  }

  async #connect(): Promise<Client> {
    await (this.#route ? this.#connectTo(this.#route) : super.connect())
    if (!this.#settings) return this
    try {
      await this.#send(this.#settings)
      return this
    } catch (error) {
      void this.end().catch(() => undefined)
      throw this.#end ?? error
    }
  }

  async #connectTo(route: Route): Promise<Client> {
    const candidate = await route.choose()
    const { host, port, ssl } = copyOf(candidate)
    // The pool has given up in the meantime.
    if (this.#socket.destroyed) throw new Error('timeout expired')
    Object.assign(this, { host, port, ssl })
    // Private in `pg`, which decides on TLS when a client is created; the way is found only when it connects.
    Object.assign(this.connection, { ssl })
    if (/^(read-write|primary)$/.test(route.target.attributes)) closeStandby(this)
    try {
      return await super.connect()
    } catch (error) {
      if (mayTryNext(error as DatabaseError)) route.forget(candidate)
      throw error
    }
  }
}

/**
 * Returns options with further members. The options are its prototype, because a pool hides the password and the private
 * key from copies.
 */
export const derived = (options: DatabaseOptions, members: DatabaseOptions): DatabaseOptions =>
  Object.assign(Object.create(options), members)

/** Closes the connection if the server has become a standby since its way was found. */
function closeStandby(client: DatabaseClient): void {
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'on')
      client.abandon(new Error('the server has become a standby'))
  })
}

/** Closes the connection if the server does not offer authentication that is bound to the TLS connection. */
function requireChannelBinding(client: DatabaseClient): void {
  const { connection } = client
  const refuse = () =>
    client.abandon(new Error('channel_binding=require, but the server does not offer SCRAM-SHA-256-PLUS'))
  connection.on('authenticationSASL', ({ mechanisms = [] }: { mechanisms?: string[] }) => {
    if (!mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse()
    else connection.on('authenticationSASLFinal', () => (isBound = true))
  })
  let isBound = false
  for (const event of ['authenticationCleartextPassword', 'authenticationMD5Password']) connection.on(event, refuse)
  connection.on('authenticationOk', () => {
    if (!isBound) refuse()
  })
}

/** Maximum number of prepared statements. Each takes about 400 kB in every connection that has used it. */
const MAX_PREPARED_STATEMENTS = 16

/** Returns a list of prepared statements, and a client that prepares exactly these. */
export function preparedStatements() {
  /** Names of prepared statements by their text. */
  const names = new Map<string, string>()

  /**
   * Makes PostgreSQL parse and plan a statement once per connection instead of at each execution. Use it for a few long
   * statements that run often; when {@link MAX_PREPARED_STATEMENTS} is reached, the call has no effect. The statement
   * must name its result columns: a statement with `*` fails after a migration has added a column.
   */
  function prepare(text: string): void {
    if (names.size < MAX_PREPARED_STATEMENTS && !names.has(text)) names.set(text, `prepared ${names.size + 1}`)
  }

  /**
   * A client that adds the names of prepared statements to queries, because query builders pass only the text of a
   * query.
   */
  class PreparingClient extends DatabaseClient {
    constructor(config?: string | DatabaseOptions) {
      super(config)
      const send = this.query.bind(this) as (query: unknown, values?: unknown, callback?: unknown) => unknown
      this.query = ((query: unknown, values?: unknown, callback?: unknown) => {
        const name = typeof query === 'string' && names.get(query)
        return name ? send({ name, text: query, values }, callback) : send(query, values, callback)
      }) as Client['query']
    }
  }
  return { prepare, PreparingClient }
}

/** The prepared statements of the service. */
export const { prepare, PreparingClient } = preparedStatements()

/**
 * Returns the name of a violated constraint. Removes the shard number that the nodes of a distributed database add to
 * the name.
 */
export const constraintName = (error: unknown): string =>
  ((error as { constraint?: string } | undefined)?.constraint ?? '').replace(/_\d{6,}$/, '')

/**
 * A `text[]` column. This type quotes every element. MikroORM quotes an element only if it contains quotation marks,
 * braces, commas or backslashes. Without quotes, PostgreSQL reads `null` as NULL, removes spaces around an element and
 * misinterprets JSON escapes ("Array Input and Output Syntax" in its manual).
 */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(
    value: string[] | null,
    platform: Platform,
    context?: TransformContext,
  ): string | null {
    if (!Array.isArray(value)) return super.convertToDatabaseValue(value, platform, context)
    return `{${value.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
  }
}
