import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, getCACertificates, type SecureVersion } from 'node:tls'
import { PostgresUrlError } from './postgres-url-error.ts'

/** TLS options of a connection; false: not encrypted. */
export type TlsMode = false | ConnectionOptions

/** The TLS modes of libpq, and `no-verify` of `pg`. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full']
const VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']

type Parameter = (name: string) => string

/**
 * Returns a function that gives the TLS modes in which a host is tried, in order. A mode that the server does not
 * accept is never replaced by a weaker one, except where `allow` and `prefer` say so.
 * @throws {PostgresUrlError} if the mode is unknown, or a file cannot be read
 */
export function tlsModesOf(
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
