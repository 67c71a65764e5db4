import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isBasePath } from './lib/base-path.ts'
import { MAIL_TLS } from './lib/mailer.ts'
import { PostgresUrlError, parsePostgresUrl } from './lib/postgres-url.ts'
import { signInProviders } from './lib/provider-file.ts'
import { address, ConfigError, flag, integer, list, oneOf, optional, secret, setting, text } from './lib/settings.ts'

/** Checks a connection URL of PostgreSQL, and the files that it names. */
function postgres(value: string, name: string): string {
  try {
    parsePostgresUrl(value)
    return value
  } catch (error) {
    if (error instanceof PostgresUrlError) throw new ConfigError(`${name} ${error.message}.`)
    throw error
  }
}

/** Parses the number of connections of a process. */
function connections(value: string, name: string): number {
  const number = integer(10_000)(value, name)
  if (number < MIN_CONNECTIONS) throw new ConfigError(`${name} must be at least ${MIN_CONNECTIONS}, not "${value}".`)
  return number
}

/** Parses the public address of the server, which can have a path. */
function publicAddress(value: string, name: string): string {
  const text = address('http:', 'https:')(value, name)
  const { pathname, search, hash, username } = new URL(text)
  if (search || hash || username || text.endsWith('?') || text.endsWith('#'))
    throw new ConfigError(`${name} must not contain a user name, “?” or “#”.`)
  if (pathname !== '/' && !isBasePath(pathname))
    throw new ConfigError(
      `The path of ${name} may contain only letters, digits, “-”, “_”, “~”, “.” and single slashes, as in https://example.org/feedback.`,
    )
  return text
}

/** Returns the absolute path of a folder. */
const folder = (value: string): string => resolve(value)

/** The smallest number of connections with which a process can work. */
export const MIN_CONNECTIONS = 11

const limit = integer(1_000_000_000)

const CRON_FIELD = String.raw`[\d*,/-]+|[\d*,/-]*[A-Za-z]{3}[A-Za-z\d,-]*`
const CRON = new RegExp(`^(?:${CRON_FIELD})(?: (?:${CRON_FIELD})){4}$`)

/** Parses a number from 0 to 1. */
function share(value: string, name: string): number {
  const number = Number(value)
  if (!(number >= 0 && number <= 1)) throw new ConfigError(`${name} must be a number from 0 to 1, not "${value}".`)
  return number
}

/** Parses a cron expression. */
function cron(value: string, name: string): string {
  const expression = value.trim().replace(/\s+/g, ' ')
  if (!CRON.test(expression))
    throw new ConfigError(
      `${name} must be a cron expression with five fields in UTC, for example "15 2 * * *" (every day at 02:15), not "${value}".`,
    )
  return expression
}

/** Parses a folder or a prefix of a bucket. */
function backupFolder(value: string, name: string): string {
  if (!value.endsWith('/'))
    throw new ConfigError(
      `${name} must be a folder or an S3 URL that ends with a slash, for example /mnt/backups/ or s3://bucket/canvass/, not "${value}".`,
    )
  return value
}

/** Parses a bucket and a prefix. @returns the URL with a slash at its end */
function bucket(value: string, name: string): string {
  if (!/^s3:\/\/[A-Za-z0-9][A-Za-z0-9._-]{1,254}(?:\/[^?#]*)?$/.test(value))
    throw new ConfigError(`${name} must be an S3 URL such as s3://bucket/canvass/, not "${value}".`)
  return value.endsWith('/') ? value : `${value}/`
}

/** Parses the address of a mail server. */
function mailServer(value: string, name: string): string {
  const url = address('smtp:', 'smtps:')(value, name)
  const { username, password } = new URL(url)
  if (username && !password)
    throw new ConfigError(`${name} has a user name without a password. Write smtp://user:password@host:port.`)
  return url
}

/** Reads a file of certificates. @returns the certificates as PEM */
function certificates(value: string, name: string): string {
  let pem = ''
  try {
    pem = readFileSync(value, 'utf8')
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}.`)
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`${name} must be a file with certificates in PEM format, not "${value}".`)
  return pem
}

/** Parses a host name, or an address in brackets (RFC 5321, section 4.1.3). */
function hostName(value: string, name: string): string {
  if (!/^(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*|\[[\dA-Fa-f.:IPv]+\])$/.test(value))
    throw new ConfigError(`${name} must be a host name such as surveys.example.org, not "${value}".`)
  return value
}

/** Parses `Canvass <surveys@example.org>` or an address alone. */
function mailbox(value: string, name: string): { name: string; address: string } {
  const [, displayName = '', mail = ''] = /^(?:([^<>"\r\n]*)<)?([^\s<>"@]+@[^\s<>"@]+)>?$/.exec(value.trim()) ?? []
  if (!mail) throw new ConfigError(`${name} must have the form Canvass <surveys@example.org>, not "${value}".`)
  return { name: displayName.trim() || 'Canvass', address: mail }
}

/** Parses the address for bounces. A signed token is added to the part before the @. */
function bounceAddress(value: string, name: string): string {
  if (!/^[\w.=-]{1,24}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(value))
    throw new ConfigError(
      `${name} must be an address such as bounces@example.org, with at most 24 letters, digits, dots and hyphens before the @, not "${value}".`,
    )
  return value
}

/** Parses a port, an address with a port, or the path of a socket. */
function listenAddress(value: string, name: string): { path: string } | { port: number; host: string } {
  if (value.startsWith('/')) return { path: value }
  const [, host = '127.0.0.1', digits] = /^(?:(\[[\da-f:.]+\]|[\w.-]+):)?(\d{1,5})$/i.exec(value) ?? []
  if (!digits || Number(digits) > 65_535)
    throw new ConfigError(
      `${name} must be a port, an address with a port, or the path of a socket, for example 127.0.0.1:2424 or /run/canvass/lmtp.sock, not "${value}".`,
    )
  return { port: Number(digits), host: host.replace(/[[\]]/g, '') }
}

/** Parses the address of a mailbox: its path is the folder. */
function imapMailbox(value: string, name: string): string {
  const url = address('imap:', 'imaps:')(value, name)
  const { username, password } = new URL(url)
  if (!username || !password)
    throw new ConfigError(`${name} needs a user name and a password. Write imaps://user:password@host/INBOX.`)
  return url
}

function origin(value: string, name: string): string {
  if (!/^https?:/.test(value) || !URL.canParse(value) || new URL(value).origin !== value)
    throw new ConfigError(
      `${name} must be origins such as https://intranet.example.org, separated by commas, not "${value}".`,
    )
  return value
}

const originsOrAny = (value: string, name: string) => (value.trim() === '*' ? '*' : list(origin)(value, name))

/** Parses limits such as `standard=6000/60`: 6000 requests in 60 seconds. */
function requestLimits(value: string, name: string): Map<string, { requests: number; seconds: number }> {
  const limits = list((item) => {
    const [, plan, requests, seconds] = /^([a-z][a-z0-9-]{0,31})=(\d{1,9})\/(\d{1,5})$/.exec(item) ?? []
    if (!plan || !Number(seconds))
      throw new ConfigError(
        `${name} must be limits such as standard=6000/60 (requests/seconds), separated by commas, not "${item}".`,
      )
    return [plan, { requests: Number(requests), seconds: Number(seconds) }] as const
  })(value, name)
  const repeated = limits.find(([plan], index) => limits.findIndex(([other]) => other === plan) < index)
  if (repeated) throw new ConfigError(`${name} contains ${repeated[0]} more than once.`)
  return new Map(limits)
}

/**
 * All settings. `canvass config` prints this table, and `.env.example` describes the settings in detail
 * (test/settings.test.ts compares the two).
 */
export const SETTINGS = {
  PORT: setting(integer(65_535), '8080', 'Port on which the server listens.'),
  HOST: setting(text, '127.0.0.1', 'Address of the network interface on which the server listens.'),
  BASE_URL: optional(publicAddress, 'http://HOST:PORT', 'Public address of the server.'),
  DATA_DIR: setting(folder, './data', 'Folder of the embedded PostgreSQL, the generated secret key and unsent mail.'),
  DATABASE_URL: optional(postgres, 'embedded PostgreSQL in DATA_DIR', 'Your own PostgreSQL, version 15 or newer.'),
  DATABASE_REPLICA_URL: optional(
    list(postgres),
    'none',
    'Replicas of the PostgreSQL of DATABASE_URL, separated by commas.',
  ),
  DATABASE_CONNECTIONS: setting(
    connections,
    '28',
    'Maximum number of connections of a process to PostgreSQL, without those for jobs.',
  ),
  SMTP_URL: optional(mailServer, 'messages are stored in DATA_DIR/outbox', 'Mail server.'),
  SMTP_TLS: setting(oneOf(...MAIL_TLS), 'auto', 'Use of TLS with smtp://: auto, required, unverified or off.'),
  SMTP_CA_FILE: optional(
    certificates,
    'the authorities of Node.js',
    'Certificates (PEM) that are trusted in addition.',
  ),
  SMTP_EHLO_NAME: optional(hostName, 'the host of BASE_URL', 'Name with which the server greets the mail server.'),
  SMTP_PER_MINUTE: setting(limit, '0', 'Invitations per minute that the mail server gets; 0: unlimited.'),
  SMTP_PER_HOUR: setting(limit, '0', 'Invitations per hour that the mail server gets; 0: unlimited.'),
  MAIL_FROM: optional(mailbox, 'Canvass <no-reply@HOST-OF-BASE_URL>', 'Sender address of all emails.'),
  MAIL_ALLOW_SENDERS: setting(flag, 'off', 'Whether users may enter any sender address for their invitations.'),
  INVITE_NEW_ACCOUNTS: setting(
    flag,
    'on',
    'Whether users may invite colleagues who have no account; accepting creates it.',
  ),
  BOUNCE_ADDRESS: optional(
    bounceAddress,
    'the sender of an invitation gets what comes back',
    'Address to which undeliverable invitations come back.',
  ),
  BOUNCE_LMTP: optional(
    listenAddress,
    'none',
    'Port or socket on which background jobs take mail to BOUNCE_ADDRESS by LMTP.',
  ),
  BOUNCE_IMAP_URL: optional(imapMailbox, 'none', 'Mailbox with mail to BOUNCE_ADDRESS, read every minute by IMAP.'),
  BOUNCE_IMAP_MOVE_TO: optional(
    text,
    'it is marked as read',
    'Folder of the mailbox into which mail about invitations is moved.',
  ),
  ADMIN_USERNAME: optional(text, 'none', 'Username of the administrator.'),
  ADMIN_EMAIL: optional(text, 'none', 'Email address of the administrator.'),
  ADMIN_PASSWORD: secret(0, '', 'none', 'Password of the administrator.'),
  ADMIN_API_KEY: secret(32, 'openssl rand -hex 20', 'none', 'API key of the administrator, at least 32 characters.'),
  SECRET_KEY: secret(
    32,
    'openssl rand -hex 32',
    'generated in DATA_DIR/secret-key',
    'Key for hashing and encrypting stored secrets, at least 32 characters.',
  ),
  BACKUP_PASSPHRASE: secret(0, '', 'backups are not encrypted', 'Passphrase that encrypts and decrypts backups.'),
  BACKUP_SCHEDULE: optional(cron, 'no scheduled backups', 'Times of backups, as a cron expression in UTC.'),
  BACKUP_TO: optional(backupFolder, 'none', 'Folder or s3:// prefix of scheduled backups; ends with a slash.'),
  BACKUP_KEEP: setting(integer(100_000), '14', 'Number of scheduled backups to keep.'),
  TRUSTED_PROXIES: setting(integer(32), '0', 'Number of trusted proxies in front of the server.'),
  ALLOWED_ORIGINS: optional(
    list(origin),
    'only BASE_URL',
    'Origins whose pages may write through the API with Basic credentials stored in the browser.',
  ),
  CORS_ORIGINS: optional(originsOrAny, 'none', 'Origins whose pages may call the API from a browser (CORS).'),
  HSTS_SUBDOMAINS: setting(flag, 'off', 'Whether browsers must use HTTPS for all subdomains of BASE_URL too.'),
  ALLOW_PRIVATE_TARGETS: setting(flag, 'off', 'Whether webhooks and identity providers may have private addresses.'),
  RATE_LIMIT: setting(flag, 'on', 'Whether login throttling and the rate limits apply.'),
  RATE_LIMITS: setting(
    requestLimits,
    // An account may send as many requests as one server can answer: all responses to a survey can come from one
    // program.
    'address=1200/60, standard=600000/60',
    'Limits of API requests, for each plan and for addresses: requests/seconds.',
  ),
  CONCURRENT_REQUESTS: setting(integer(1_000_000), '1024', 'Requests that a process works on at the same time.'),
  CONNECTIONS_PER_NETWORK: setting(limit, '2000', 'Open connections of a network to a process.'),
  SECURITY_LOG_DAYS: setting(
    integer(36_500),
    '365',
    'Days for which the security log and the activity of surveys are kept.',
  ),
  PASSWORD_CHECKS: setting(limit, '2', 'Concurrent password checks per process.'),
  SIGN_IN_FAILURES_PER_MINUTE: setting(limit, '30', 'Wrong passwords per minute from one network, for any accounts.'),
  API_FAILURES_PER_MINUTE: setting(limit, '300', 'Different wrong API credentials per minute from one network.'),
  SURVEY_REQUESTS_PER_MINUTE: setting(
    limit,
    '30000',
    'Survey pages opened and submitted per minute from one network, and requests of their scripts.',
  ),
  SUBMISSIONS_PER_MINUTE: setting(limit, '3000', 'Survey pages submitted per minute from one network.'),
  UPLOADS_PER_MINUTE: setting(limit, '300', 'Files uploaded per minute from one network, or by one account.'),
  UPLOAD_MB_PER_HOUR: setting(limit, '2000', 'Megabytes of files per hour that respondents of one network upload.'),
  PAGE_MB_PER_HOUR: setting(limit, '500', 'Megabytes of survey pages per hour, without files, from one network.'),
  FILE_MAX_MB: setting(integer(10_000), '25', 'Maximum size of an uploaded file in megabytes.'),
  FILES_MB_PER_ACCOUNT: setting(limit, '10000', 'Maximum size of all uploaded files of an account in megabytes.'),
  FILES_PERCENT_PER_SURVEY: setting(limit, '80', 'Share of FILES_MB_PER_ACCOUNT that one survey can use, in percent.'),
  FILES_URL: optional(bucket, 'the database', 'Bucket and prefix for new uploaded files: s3://bucket/canvass/.'),
  S3_ADDRESSING_STYLE: setting(
    oneOf('auto', 'path', 'virtual'),
    'auto',
    'Where URLs of S3 contain the bucket: path, virtual (host name) or auto (path, except on AWS).',
  ),
  FILE_SCAN_COMMAND: optional(
    text,
    'files are not scanned',
    'Virus scanner that reads a file from its standard input, for example clamdscan --no-summary -.',
  ),
  FILE_SCAN_PROCESSES: setting(integer(256), '2', 'Virus scanners that run at the same time, per process.'),
  WEBHOOKS_PER_ACCOUNT: setting(limit, '50', 'Webhooks per account.'),
  EMAILS_PER_DAY: setting(limit, '20000', 'Email messages per account and day (UTC).'),
  IDEMPOTENCY_KEYS_PER_DAY: setting(limit, '10000', 'Requests with an Idempotency-Key per account and day.'),
  WORKER: setting(flag, 'on', 'Whether `serve` runs background jobs.'),
  PROCESSES: setting(integer(256), '1', 'Processes of `serve` that answer requests.'),
  STOP_DELAY_SECONDS: setting(integer(300), '1', 'Seconds for which the server accepts new connections after SIGTERM.'),
  METRICS_PORT: setting(integer(65_535), '0', 'Port on which `work` answers /metrics, /healthz and /readyz; 0: none.'),
  METRICS_HOST: setting(text, '127.0.0.1', 'Address of the network interface for METRICS_PORT.'),
  METRICS_TOKEN: secret(
    16,
    'openssl rand -hex 16',
    '/metrics is available only if BASE_URL is an address of the same machine',
    'Bearer token for /metrics, at least 16 characters.',
  ),
  SERVICE_CLIENT_ID: setting(
    text,
    'survey-service',
    'Client identifier of this service at external identity providers.',
  ),
  OIDC_PROVIDERS_FILE: optional(
    signInProviders,
    'users sign in with a password',
    'JSON file of the OpenID providers at which users sign in (docs/single-sign-on.md).',
  ),
  PASSWORD_SIGN_IN: setting(
    flag,
    'on',
    'Whether users sign in to the pages with a password; off: only developer accounts do.',
  ),
  SECOND_FACTOR: setting(
    oneOf('optional', 'required'),
    'optional',
    'Whether users who sign in with a password need a second factor: optional or required.',
  ),
  LOG_LEVEL: setting(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info', 'Log level.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    address('http:', 'https:'),
    'nothing is traced',
    'Receiver of traces (OpenTelemetry, OTLP).',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(0, '', 'none', 'Header fields for the receiver of traces, such as an API key.'),
  OTEL_SERVICE_NAME: setting(text, 'canvass', 'Name of this service in traces.'),
  OTEL_TRACES_SAMPLER: setting(
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
    'Which requests are traced.',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    share,
    '1',
    'Share of the requests that are traced, for the samplers with `traceidratio`.',
  ),
  SLOW_QUERY_MS: setting(
    integer(3_600_000),
    '0',
    'Duration in milliseconds from which a statement of PostgreSQL is logged.',
  ),
} as const
