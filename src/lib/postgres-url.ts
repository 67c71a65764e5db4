import { existsSync, readFileSync } from 'node:fs'
import os, { homedir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, getCACertificates, type SecureVersion } from 'node:tls'

/** A connection URL that cannot be used. The message has no subject and no full stop, and does not contain the URL. */
export class PostgresUrlError extends Error {
  override name = 'PostgresUrlError'
}

/** One way to reach a database: an address, with or without TLS. */
export interface Candidate {
  /** A host name, an IP address, or the folder of a Unix socket. */
  host: string
  port: number
  ssl: TlsMode
}

/** Which server of several is wanted (`target_session_attrs` of libpq). */
export type SessionAttributes = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby'

/** What a connection URL of PostgreSQL says. */
export interface PostgresTarget {
  user: string
  /** Undefined: from the password file of PostgreSQL, or none. */
  password: string | undefined
  database: string
  /** In the order in which they are tried. */
  candidates: readonly Candidate[]
  attributes: SessionAttributes
  sslmode: string
  /** `direct`: TLS starts without a request to the server. */
  sslnegotiation: 'postgres' | 'direct'
  /** Whether only authentication that is bound to the TLS connection is accepted. */
  bindsChannel: boolean
  /** Settings of PostgreSQL for each session, such as `-c search_path=app`. */
  options: string
  /** A name that is added to the application name of each session. */
  label: string
  connectTimeoutMs: number | undefined
}

const DEFAULT_PORT = 5432
/** Folders in which PostgreSQL creates its socket by default: of Debian, and of PostgreSQL itself. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp']
const MAX_CANDIDATES = 64

/** The environment variables of libpq, which apply to parameters that are not in the URL. */
const VARIABLES: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  hostaddr: 'PGHOSTADDR',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  options: 'PGOPTIONS',
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  load_balance_hosts: 'PGLOADBALANCEHOSTS',
  channel_binding: 'PGCHANNELBINDING',
  sslmode: 'PGSSLMODE',
  sslnegotiation: 'PGSSLNEGOTIATION',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslcrl: 'PGSSLCRL',
  ssl_min_protocol_version: 'PGSSLMINPROTOCOLVERSION',
  ssl_max_protocol_version: 'PGSSLMAXPROTOCOLVERSION',
}
/** Parameters that have an effect and no environment variable. */
const FURTHER_PARAMETERS = ['sslpassword', 'fallback_application_name', 'ssl']

/**
 * Parameters of libpq that this program cannot change, with the values that describe what it does. It always sends
 * keep-alive probes, and never encrypts with GSSAPI.
 */
const FIXED_PARAMETERS: Readonly<Record<string, RegExp>> = {
  client_encoding: /^(utf-?8|auto)$/i,
  gssencmode: /^(disable|prefer)$/,
  gssdelegation: /^0$/,
  keepalives: /^1$/,
  keepalives_idle: /^\d+$/,
  keepalives_interval: /^\d+$/,
  keepalives_count: /^\d+$/,
  replication: /^(false|off|no|0)$/,
  sslcertmode: /^allow$/,
  sslcompression: /^[01]$/,
  sslsni: /^1$/,
  tcp_user_timeout: /^\d+$/,
  // A parameter of pg: TLS modes as libpq defines them.
  uselibpqcompat: /^true$/,
}

const ATTRIBUTES: readonly string[] = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby']

/**
 * Parses a connection URL as libpq does. The parser of `pg` rejects several hosts and some characters in passwords, and
 * has another meaning of `sslmode`.
 * @throws {PostgresUrlError} if the URL is malformed, or has a parameter that cannot be honoured
 */
export function parsePostgresUrl(url: string, env: NodeJS.ProcessEnv = process.env): PostgresTarget {
  const given = readUrl(url)
  const parameter = (name: string): string => given.get(name) || env[VARIABLES[name] ?? ''] || ''
  const user = parameter('user') || currentUser()
  if (!user) throw new PostgresUrlError('contains no user name')
  const addresses = addressesOf(parameter)
  const sslmode = modeOf(given, parameter)
  const modesOf = tlsModesOf(sslmode, parameter, env)
  const sslnegotiation = oneOf('sslnegotiation', parameter('sslnegotiation') || 'postgres', ['postgres', 'direct'])
  const channelBinding = parameter('channel_binding') || 'prefer'
  const bindsChannel = oneOf('channel_binding', channelBinding, ['disable', 'prefer', 'require']) === 'require'
  const isAlwaysEncrypted = !['disable', 'allow', 'prefer'].includes(sslmode)
  if ((sslnegotiation === 'direct' || bindsChannel) && !isAlwaysEncrypted)
    throw new PostgresUrlError(
      `has ${bindsChannel ? 'channel_binding=require' : 'sslnegotiation=direct'}, which needs sslmode=require, verify-ca or verify-full, not ${sslmode}`,
    )
  const attributes = parameter('target_session_attrs') || (addresses.length > 1 ? 'read-write' : 'any')
  return {
    user,
    password: parameter('password') || undefined,
    database: parameter('dbname') || user,
    candidates: addresses.flatMap(({ host, port, name }) => modesOf(host, name).map((ssl) => ({ host, port, ssl }))),
    attributes: oneOf('target_session_attrs', attributes, ATTRIBUTES) as SessionAttributes,
    sslmode,
    sslnegotiation: sslnegotiation as 'postgres' | 'direct',
    bindsChannel,
    options: parameter('options'),
    label: labelOf(parameter('application_name') || parameter('fallback_application_name')),
    connectTimeoutMs: timeoutOf(parameter('connect_timeout')),
  }
}

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const given = new Map(readUrl(url)).set('dbname', name)
  const query = [...given].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  return `postgres:///?${query.join('&')}`
}

/** Returns the parameters of a URL, with the parts before the question mark as parameters. */
function readUrl(url: string): Map<string, string> {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(url) ?? []
  if (rest === undefined) throw new PostgresUrlError('must be a URL that starts with postgres:// or postgresql://')
  // The last @ ends the password, so that it may contain an @, or a question mark, that is not percent-encoded.
  const [, userInfo, address = ''] = /^([^/?]*)@(.*)$/s.exec(rest) ??
    /^([^/]*)@(.*)$/s.exec(rest) ?? [undefined, undefined, rest]
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(userInfo ?? '') ?? []
  const [, hosts = '', path = '', query = ''] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(address) ?? []
  const parameters = new Map<string, string>()
  const add = (name: string, value: string | undefined) => value && parameters.set(name, decode(value))
  add('user', user)
  add('password', password)
  add('dbname', path.replace(/\/+$/, ''))
  readHosts(hosts, add)
  for (const pair of query.split('&')) {
    if (!pair) continue
    const [, name = '', value] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
    if (value === undefined) throw new PostgresUrlError('contains a parameter without a value')
    checkParameter(decode(name), decode(value))
    add(decode(name), value)
  }
  return parameters
}

/** Reads `host:port,host:port`. */
function readHosts(text: string, add: (name: string, value: string) => void): void {
  if (!text) return
  const entries = text.split(',').map((entry) => {
    const [whole, bracketed, plain, port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(entry) ?? []
    if (whole === undefined)
      throw new PostgresUrlError(
        'contains a host that cannot be read: percent-encode @, / and : in the user name and the password, and put IPv6 addresses in brackets',
      )
    return { host: bracketed ?? plain ?? '', port }
  })
  if (entries.some(({ host }) => host)) add('host', entries.map(({ host }) => host).join(','))
  if (entries.some(({ port }) => port)) add('port', entries.map(({ port }) => port).join(','))
}

function checkParameter(name: string, value: string): void {
  if (name in VARIABLES || FURTHER_PARAMETERS.includes(name)) return
  const allowed = FIXED_PARAMETERS[name]
  if (!allowed)
    throw new PostgresUrlError(
      `has the parameter ${name.replace(/[^\w.-]/g, '').slice(0, 63)}, which is not supported (a setting of PostgreSQL can be given as options=-c%20name%3Dvalue)`,
    )
  if (!allowed.test(value)) throw new PostgresUrlError(`has ${name} with a value that is not supported`)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new PostgresUrlError('contains a percent sign that is not part of a percent-encoded character (write %25)')
  }
}

/** Returns the addresses in the order in which they are tried; `name`: the host name in the certificate. */
function addressesOf(parameter: (name: string) => string): { host: string; port: number; name: string }[] {
  const names = parameter('host').split(',')
  const ips = parameter('hostaddr').split(',')
  const count = Math.max(names.length, ips.length)
  if (count > MAX_CANDIDATES) throw new PostgresUrlError(`has more than ${MAX_CANDIDATES} hosts`)
  const ports = parameter('port').split(',')
  for (const [values, what] of [
    [ips, 'addresses in hostaddr'],
    [names, 'hosts'],
  ] as const)
    if (values.length !== count && values.join('')) throw new PostgresUrlError(`has another number of ${what}`)
  if (ports.length !== 1 && ports.length !== count)
    throw new PostgresUrlError(`has ${ports.length} ports for ${count} ${count === 1 ? 'host' : 'hosts'}`)
  const addresses = Array.from({ length: count }, (_, index) => {
    const port = portOf(ports.length === 1 ? ports[0]! : ports[index]!)
    const name = names[index] ?? ''
    const host = ips[index] || name
    if (host.startsWith('@')) throw new PostgresUrlError('names an abstract socket, which is not supported')
    return { host, port, name: name || host }
  })
  const balance = oneOf('load_balance_hosts', parameter('load_balance_hosts') || 'disable', ['disable', 'random'])
  return (balance === 'random' ? shuffled(addresses) : addresses).flatMap((address) =>
    address.host ? [address] : [...SOCKET_FOLDERS, 'localhost'].map((host) => ({ ...address, host, name: host })),
  )
}

function portOf(text: string): number {
  const port = Number(text || DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new PostgresUrlError('has a port that is not a number from 1 to 65535')
  return port
}

function shuffled<Value>(values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
}

/** Returns the TLS mode. `ssl=true` means `require`, as in libpq; `no-verify` is the name in `pg` for `require`. */
function modeOf(given: ReadonlyMap<string, string>, parameter: (name: string) => string): string {
  const ssl = given.get('ssl')
  if (given.get('sslmode') || !ssl) return parameter('sslmode') || 'prefer'
  const modes: Readonly<Record<string, string>> = {
    true: 'require',
    1: 'require',
    'no-verify': 'no-verify',
    false: 'disable',
    0: 'disable',
  }
  const mode = modes[ssl]
  if (!mode) throw new PostgresUrlError('has ssl with a value that is not supported: use sslmode')
  return mode
}

/** Returns at most 24 printable ASCII characters, because PostgreSQL shortens the name of a session to 63 bytes. */
const labelOf = (text: string): string => text.replace(/[^\x21-\x7e]+/g, '-').slice(0, 24)

function timeoutOf(text: string): number | undefined {
  if (!text) return undefined
  const seconds = Number(text)
  if (!Number.isInteger(seconds))
    throw new PostgresUrlError('has connect_timeout that is not a whole number of seconds')
  // As in libpq, 0 means no limit, and 1 means 2.
  return seconds > 0 ? Math.max(2, Math.min(seconds, 3600)) * 1000 : undefined
}

function oneOf(name: string, value: string, words: readonly string[]): string {
  if (!words.includes(value)) throw new PostgresUrlError(`has ${name}, which must be one of ${words.join(', ')}`)
  return value
}

function currentUser(): string {
  try {
    return os.userInfo().username
  } catch {
    // A user ID without an account, as in a container.
    return ''
  }
}

/** TLS options of a connection; false: not encrypted. */
type TlsMode = false | ConnectionOptions

/** The TLS modes of libpq, and `no-verify` of `pg`. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full']
const VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']

type Parameter = (name: string) => string

/**
 * Returns a function that gives the TLS modes in which a host is tried, in order. A mode that the server does not
 * accept is never replaced by a weaker one, except where `allow` and `prefer` say so.
 * @throws {PostgresUrlError} if the mode is unknown, or a file cannot be read
 */
function tlsModesOf(
  mode: string,
  parameter: Parameter,
  env: NodeJS.ProcessEnv,
): (host: string, name: string) => TlsMode[] {
  if (!MODES.includes(mode)) throw new PostgresUrlError(`has sslmode, which must be one of ${MODES.join(', ')}`)
  // `disable` must not fail because of files that it does not use.
  const encrypted = mode === 'disable' ? {} : encryptedMode(mode, parameter, env)
  return (host, name) => {
    // As in libpq, a Unix socket is never encrypted.
    if (mode === 'disable' || host.startsWith('/')) return [false]
    // Without `host`, Node.js compares the certificate of an IP address with "localhost".
    const tls = { ...encrypted, host: name, ...(name !== host && { servername: name }) }
    if (mode === 'allow') return [false, tls]
    return mode === 'prefer' ? [tls, false] : [tls]
  }
}

function encryptedMode(mode: string, parameter: Parameter, env: NodeJS.ProcessEnv): ConnectionOptions {
  const folder = join(env.HOME || homedir(), '.postgresql')
  const setting = parameter('sslrootcert')
  if (setting === 'system' && mode !== 'verify-full')
    throw new PostgresUrlError(`has sslrootcert=system, which needs sslmode=verify-full, not ${mode}`)
  const ca = setting === 'system' ? systemCertificates() : fileOf('sslrootcert', setting, join(folder, 'root.crt'))
  if (mode === 'verify-ca' && !ca)
    throw new PostgresUrlError(
      'has sslmode=verify-ca, which needs sslrootcert=FILE, the certificate of the authority (or use sslmode=verify-full)',
    )
  const cert = fileOf('sslcert', parameter('sslcert'), join(folder, 'postgresql.crt'))
  const key = cert && fileOf('sslkey', parameter('sslkey'), join(folder, 'postgresql.key'))
  if (cert && !key) throw new PostgresUrlError('has sslcert without sslkey')
  const crl = fileOf('sslcrl', parameter('sslcrl'), join(folder, 'root.crl'))
  return {
    ...verification(mode, Boolean(ca)),
    ...(ca && { ca }),
    ...(cert && { cert, key }),
    ...(cert && parameter('sslpassword') && { passphrase: parameter('sslpassword') }),
    ...(crl && { crl }),
    ...versionOf('minVersion', 'ssl_min_protocol_version', parameter),
    ...versionOf('maxVersion', 'ssl_max_protocol_version', parameter),
  }
}

/** Returns what is verified. As in libpq, `require` verifies the authority if the certificate of one is given. */
function verification(mode: string, hasAuthority: boolean): ConnectionOptions {
  if (mode === 'verify-full') return { rejectUnauthorized: true }
  if (mode === 'verify-ca' || (mode === 'require' && hasAuthority))
    return { rejectUnauthorized: true, checkServerIdentity: () => undefined }
  return { rejectUnauthorized: false }
}

/** The authorities of the operating system, and those of `NODE_EXTRA_CA_CERTS`. */
const systemCertificates = (): string[] => [...getCACertificates('system'), ...getCACertificates('extra')]

/** Returns the contents of a file. @param fallback a file that is read if it exists and no file is given */
function fileOf(name: string, file: string, fallback: string): Buffer | undefined {
  const path = file || (existsSync(fallback) ? fallback : '')
  if (!path) return undefined
  try {
    return readFileSync(path)
  } catch (error) {
    throw new PostgresUrlError(`has ${name}, but ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function versionOf(option: 'minVersion' | 'maxVersion', name: string, parameter: Parameter): ConnectionOptions {
  const version = parameter(name)
  if (!version) return {}
  if (!VERSIONS.includes(version))
    throw new PostgresUrlError(`has ${name}, which must be one of ${VERSIONS.join(', ')}`)
  return { [option]: version as SecureVersion }
}
