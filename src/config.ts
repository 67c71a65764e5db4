import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createSecretKey, findSecretKey, MIN_SECRET_CHARACTERS, type SecretKey } from './lib/secret-key.ts'
import { address, ConfigError, flag, integer } from './lib/settings.ts'

export { ConfigError }

/** The settings of the service, read from the environment; `.env.example` describes them. */
export interface Config {
  port: number
  host: string
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  /** Replicas of the database, for expensive reads. */
  replicaUrls: readonly string[]
  smtpUrl: string | undefined
  admin: { username: string; email: string; password: string; apiKey: string | undefined } | undefined
  allowPrivateTargets: boolean
  rateLimit: boolean
  /** Limits by name; 0: unlimited. */
  limits: Readonly<Record<keyof typeof LIMITS, number>>
  /** Limits of API requests by name: `address` and the plans of accounts. 0 requests: unlimited. */
  requestLimits: ReadonlyMap<string, RequestLimit>
  mailFrom: { name: string; address: string }
  allowSenders: boolean
  allowedOrigins: ReadonlySet<string>
  /** Origins whose pages may call the API from a browser (CORS); `*`: any. */
  corsOrigins: ReadonlySet<string> | '*'
  secretKey: Buffer
  trustedProxies: number
  serviceClientId: string
  /** The bearer token for `/metrics` from other machines. */
  metricsToken: string | undefined
  worker: boolean
  /** Processes that answer requests; undefined: as many as the machine and the database allow. */
  processes: number | undefined
  /** Maximum number of requests in progress; 0: unlimited. */
  concurrentRequests: number
  /** Seconds between SIGTERM, when `/readyz` starts to return 503, and the closing of the listener. */
  stopDelaySeconds: number
  logLevel: string
}

/** The settings of limits and their defaults. */
const LIMITS = {
  passwordChecks: ['PASSWORD_CHECKS', 2],
  signInFailuresPerMinute: ['SIGN_IN_FAILURES_PER_MINUTE', 30],
  apiFailuresPerMinute: ['API_FAILURES_PER_MINUTE', 300],
  submissionsPerMinute: ['SUBMISSIONS_PER_MINUTE', 3000],
  webhooksPerAccount: ['WEBHOOKS_PER_ACCOUNT', 50],
  emailsPerDay: ['EMAILS_PER_DAY', 20_000],
} as const

/**
 * The default limits. The setting `RATE_LIMITS` adds limits and overrides them by name. An account may send as many
 * requests as one server can answer, because all responses to a large survey can come from one program.
 */
const REQUEST_LIMITS = 'address=1200/60, standard=600000/60'

interface RequestLimit {
  requests: number
  seconds: number
}

/** Maximum of the setting PROCESSES, against typing errors. */
const MAX_PROCESSES = 256

function limitsOf(env: NodeJS.ProcessEnv): Config['limits'] {
  const isOn = flag('RATE_LIMIT', env.RATE_LIMIT, true)
  const entries = Object.entries(LIMITS).map(([name, [setting, fallback]]) => {
    const value = integer(setting, env[setting], fallback, 1_000_000_000)
    return [name, isOn ? value : 0]
  })
  return Object.fromEntries(entries)
}

/** Reads limits such as `standard=6000/60`: 6000 requests in 60 seconds. */
function requestLimitsOf(env: NodeJS.ProcessEnv): Config['requestLimits'] {
  const isOn = flag('RATE_LIMIT', env.RATE_LIMIT, true)
  const parse = (text: string) =>
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((item): [string, RequestLimit] => {
        const [, name, requests, seconds] = /^([a-z][a-z0-9-]{0,31})=(\d{1,9})\/(\d{1,5})$/.exec(item) ?? []
        if (!name || !Number(seconds))
          throw new ConfigError(
            `RATE_LIMITS must be limits such as standard=6000/60 (requests/seconds), separated by commas, not "${item}".`,
          )
        return [name, { requests: isOn ? Number(requests) : 0, seconds: Number(seconds) }]
      })
  const own = parse(env.RATE_LIMITS ?? '')
  const repeated = own.find(([name], index) => own.findIndex(([other]) => other === name) < index)
  if (repeated) throw new ConfigError(`RATE_LIMITS contains ${repeated[0]} more than once.`)
  return new Map([...parse(REQUEST_LIMITS), ...own])
}

function mailFromOf(text: string | undefined, hostname: string): Config['mailFrom'] {
  if (!text) return { name: 'Canvass', address: `no-reply@${hostname}` }
  const [, name = '', address = ''] = /^(?:([^<>"\r\n]*)<)?([^\s<>"@]+@[^\s<>"@]+)>?$/.exec(text.trim()) ?? []
  if (!address) throw new ConfigError(`MAIL_FROM must have the form Canvass <surveys@example.org>, not "${text}".`)
  return { name: name.trim() || 'Canvass', address }
}

function originsOf(name: string, text = ''): string[] {
  const origins = text.split(/[\s,]+/).filter(Boolean)
  for (const origin of origins)
    if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new ConfigError(
        `${name} must be origins such as https://intranet.example.org, separated by commas, not "${origin}".`,
      )
  return origins
}

function adminOf(env: NodeJS.ProcessEnv): Config['admin'] {
  const { ADMIN_USERNAME, ADMIN_EMAIL, ADMIN_PASSWORD, ADMIN_API_KEY } = env
  if (!ADMIN_USERNAME && !ADMIN_EMAIL && !ADMIN_PASSWORD && !ADMIN_API_KEY) return undefined
  if (!ADMIN_USERNAME || !ADMIN_EMAIL || !ADMIN_PASSWORD)
    throw new ConfigError(
      'ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD must be set together: set all three, or none.',
    )
  if (ADMIN_API_KEY && ADMIN_API_KEY.length < MIN_SECRET_CHARACTERS)
    throw new ConfigError(
      `ADMIN_API_KEY must have at least ${MIN_SECRET_CHARACTERS} characters. Create one with: openssl rand -hex 20`,
    )
  return {
    username: ADMIN_USERNAME,
    email: ADMIN_EMAIL,
    password: ADMIN_PASSWORD,
    apiKey: ADMIN_API_KEY || undefined,
  }
}

/**
 * Reads the settings for a command that requires an existing database, and writes nothing.
 * @throws {ConfigError} when the data folder contains no database, or as `readConfig` does
 */
export function readConfigOfExistingDatabase(env: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const dataDir = dataDirOf(env)
  if (!env.DATABASE_URL && !existsSync(join(dataDir, 'postgres')))
    throw new ConfigError(
      `There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to the same value as for the server, or run "canvass migrate" to create a database here.`,
    )
  return readConfig(env)
}

/** The settings of the commands that back up and restore. */
export interface BackupSettings {
  dataDir: string
  databaseUrl: string | undefined
  /** Undefined: there is no key yet. */
  secretKey: SecretKey | undefined
  /** Undefined: backups are not encrypted. */
  passphrase: string | undefined
  /** Settings of S3 that its SDK does not read itself. */
  s3: { region: string; hasEndpoint: boolean }
}

/**
 * Reads the settings of a backup or restore, and writes nothing.
 * @throws {ConfigError} naming the invalid setting
 */
export function readBackupSettings(env: NodeJS.ProcessEnv = process.env): BackupSettings {
  const dataDir = dataDirOf(env)
  return {
    dataDir,
    databaseUrl: databaseUrlOf(env),
    secretKey: findSecretKey(env.SECRET_KEY, dataDir),
    passphrase: env.BACKUP_PASSPHRASE || undefined,
    s3: {
      region: env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1',
      hasEndpoint: Boolean(env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL),
    },
  }
}

const databaseUrlOf = ({ DATABASE_URL }: NodeJS.ProcessEnv): string | undefined =>
  DATABASE_URL && address('DATABASE_URL', DATABASE_URL, ['postgres:', 'postgresql:'])

const dataDirOf = (env: NodeJS.ProcessEnv): string => resolve(env.DATA_DIR || 'data')

function metricsTokenOf({ METRICS_TOKEN }: NodeJS.ProcessEnv): string | undefined {
  if (METRICS_TOKEN && METRICS_TOKEN.length < 16)
    throw new ConfigError('METRICS_TOKEN must have at least 16 characters. Create one with: openssl rand -hex 16')
  return METRICS_TOKEN || undefined
}

/**
 * Reads and validates the settings.
 * @throws {ConfigError} naming the invalid setting
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const port = integer('PORT', env.PORT, 8080, 65535)
  const host = env.HOST || '127.0.0.1'
  const dataDir = dataDirOf(env)
  const baseUrl = address('BASE_URL', env.BASE_URL || `http://${host}:${port}`, ['http:', 'https:'])
  const allowsAnyOrigin = env.CORS_ORIGINS?.trim() === '*'
  const corsOrigins = allowsAnyOrigin ? [] : originsOf('CORS_ORIGINS', env.CORS_ORIGINS)
  return Object.freeze({
    port,
    host,
    baseUrl,
    dataDir,
    databaseUrl: databaseUrlOf(env),
    replicaUrls: (env.DATABASE_REPLICA_URL ?? '')
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((url) => address('DATABASE_REPLICA_URL', url, ['postgres:', 'postgresql:'])),
    smtpUrl: env.SMTP_URL && address('SMTP_URL', env.SMTP_URL, ['smtp:', 'smtps:']),
    admin: adminOf(env),
    allowPrivateTargets: flag('ALLOW_PRIVATE_TARGETS', env.ALLOW_PRIVATE_TARGETS, false),
    // An origin that may call the API may also write with Basic credentials; the value `*` adds no trusted origin.
    allowedOrigins: new Set([...originsOf('ALLOWED_ORIGINS', env.ALLOWED_ORIGINS), ...corsOrigins]),
    corsOrigins: allowsAnyOrigin ? '*' : new Set(corsOrigins),
    limits: limitsOf(env),
    requestLimits: requestLimitsOf(env),
    mailFrom: mailFromOf(env.MAIL_FROM, new URL(baseUrl).hostname),
    allowSenders: flag('MAIL_ALLOW_SENDERS', env.MAIL_ALLOW_SENDERS, false),
    rateLimit: flag('RATE_LIMIT', env.RATE_LIMIT, true),
    secretKey: createHash('sha256')
      .update((findSecretKey(env.SECRET_KEY, dataDir) ?? createSecretKey(dataDir, !env.DATABASE_URL)).text)
      .digest(),
    trustedProxies: integer('TRUSTED_PROXIES', env.TRUSTED_PROXIES, 0, 32),
    serviceClientId: env.SERVICE_CLIENT_ID || 'survey-service',
    metricsToken: metricsTokenOf(env),
    concurrentRequests: integer('CONCURRENT_REQUESTS', env.CONCURRENT_REQUESTS, 1024, 1_000_000),
    stopDelaySeconds: integer('STOP_DELAY_SECONDS', env.STOP_DELAY_SECONDS, 1, 300),
    worker: flag('WORKER', env.WORKER, true),
    processes: integer('PROCESSES', env.PROCESSES, 0, MAX_PROCESSES) || undefined,
    logLevel: env.LOG_LEVEL || 'info',
  })
}
