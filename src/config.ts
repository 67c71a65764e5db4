import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { MailServer } from './lib/mailer.ts'
import { isLoopbackHost } from './lib/network.ts'
import { createSecretKey, findSecretKey, type SecretKey } from './lib/secrets.ts'
import {
  ConfigError,
  type InvalidSetting,
  type PrintedSetting,
  readSettings,
  type Setting,
  withoutSecrets,
} from './lib/settings.ts'
import { MIN_CONNECTIONS, SETTINGS } from './settings.ts'

export { ConfigError, MIN_CONNECTIONS }

/** The settings of the service, read from the environment. */
export type Config = Readonly<InspectedConfig & { secretKey: Buffer }>

/** The settings as {@link inspectConfig} returns them. An invalid setting has its default value. */
export type InspectedConfig = ReturnType<typeof inspectConfig>['config']

type Values = ReturnType<typeof readSettings<typeof SETTINGS>>[0]

/** Returns the key for hashing and encryption. */
export const hashSecretKey = ({ text }: SecretKey): Buffer => createHash('sha256').update(text).digest()

/** @returns undefined if there is no administrator */
function adminOf(values: Values, fail: (message: string) => void) {
  const { ADMIN_USERNAME: username, ADMIN_EMAIL: email, ADMIN_PASSWORD: password, ADMIN_API_KEY: apiKey } = values
  if (username && email && password) return { username, email, password, apiKey }
  if (username || email || password || apiKey)
    fail('ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD must be set together: set all three, or none.')
  return undefined
}

/** Returns the limits of API requests by name: `address`, and each plan of an account. 0 means unlimited. */
function requestLimitsOf({ RATE_LIMIT, RATE_LIMITS }: Values) {
  const [defaults] = readSettings({ RATE_LIMITS: SETTINGS.RATE_LIMITS }, {})
  const limits = [...defaults.RATE_LIMITS, ...RATE_LIMITS]
  return new Map(limits.map(([name, entry]) => [name, { ...entry, requests: RATE_LIMIT ? entry.requests : 0 }]))
}

/** @returns undefined if there is no schedule */
function backupsOf(values: Values, fail: (message: string) => void) {
  const { BACKUP_SCHEDULE: schedule, BACKUP_TO: to, BACKUP_KEEP: keep } = values
  if (!schedule) return undefined
  if (to) return { schedule, to, keep }
  fail('BACKUP_SCHEDULE needs BACKUP_TO: set it to a folder or an S3 URL, for example /mnt/backups/.')
  return undefined
}

/** Returns the mail server; undefined if there is none. */
function mailServerOf(values: Values, baseUrl: string, fail: (message: string) => void): MailServer | undefined {
  const { SMTP_URL: url, SMTP_TLS: tls, SMTP_CA_FILE: ca, SMTP_EHLO_NAME } = values
  if (!url) return undefined
  const { hostname, username, protocol } = new URL(url)
  if (tls === 'off' && username && protocol === 'smtp:' && !isLoopbackHost(hostname))
    fail('SMTP_TLS=off would send the password of SMTP_URL in plain text: remove SMTP_TLS, or the password.')
  const domain = values.MAIL_FROM?.address.split('@').pop() ?? ''
  // Mail servers distrust a greeting without a public name.
  const name =
    SMTP_EHLO_NAME ??
    [new URL(baseUrl).hostname, domain].find((host) => /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]*$/i.test(host))
  return { url, tls, ca, name }
}

/** Returns how undeliverable invitations come back. */
function bouncesOf(values: Values, fail: (message: string) => void) {
  const { BOUNCE_ADDRESS: address, BOUNCE_LMTP: lmtp, BOUNCE_IMAP_URL: imapUrl } = values
  for (const [name, value] of Object.entries({ BOUNCE_LMTP: lmtp, BOUNCE_IMAP_URL: imapUrl }))
    if (value && !address) fail(`${name} needs BOUNCE_ADDRESS: set it to the address whose mail is read.`)
  const { BOUNCE_IMAP_MOVE_TO: moveTo, SMTP_CA_FILE: ca } = values
  return { address, lmtp, mailbox: imapUrl ? { url: imapUrl, moveTo, ca } : undefined }
}

/** Returns how users sign in to the pages. */
function signInOf(
  { OIDC_PROVIDERS_FILE: providers = [], PASSWORD_SIGN_IN: password, SECOND_FACTOR: secondFactor }: Values,
  fail: (message: string) => void,
) {
  if (!password && !providers.length)
    fail('PASSWORD_SIGN_IN=off needs OIDC_PROVIDERS_FILE: set it to a file with an OpenID provider.')
  return { providers, password, secondFactor }
}

/** Reads the secret key if there is one. */
function secretKeyOf({ SECRET_KEY, DATA_DIR }: Values, fail: (message: string) => void): Buffer | undefined {
  try {
    const key = findSecretKey(SECRET_KEY, DATA_DIR)
    return key && hashSecretKey(key)
  } catch (error) {
    fail((error as Error).message)
    return undefined
  }
}

/** Returns the settings that the program passes to the SDK of S3. The SDK reads the credentials, the endpoint and profiles. */
const s3SettingsOf = (
  { S3_ADDRESSING_STYLE: addressing }: Pick<Values, 'S3_ADDRESSING_STYLE'>,
  env: NodeJS.ProcessEnv,
) => ({
  profile: env.AWS_PROFILE,
  region: env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined,
  addressing,
})

/** Different short links that a network may follow. */
const SHORT_LINKS_PER_HOUR = 60

/** Reads and validates all settings, and writes nothing. */
export function inspectConfig(env: NodeJS.ProcessEnv = process.env) {
  const [values, errors] = readSettings(SETTINGS, env)
  // A setting that cannot be read is not missing as well.
  const fail = (name: string) => (message: string) => {
    if (!errors.some((error) => error.name === name)) errors.push({ name, message })
  }
  const baseUrl = values.BASE_URL ?? `http://${values.HOST}:${values.PORT}`
  const corsOrigins = values.CORS_ORIGINS ?? []
  const limit = (value: number) => (values.RATE_LIMIT ? value : 0)
  const config = {
    port: values.PORT,
    host: values.HOST,
    baseUrl,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    replicaUrls: values.DATABASE_REPLICA_URL ?? [],
    mailServer: mailServerOf(values, baseUrl, fail('SMTP_TLS')),
    mailLimits: { minute: values.SMTP_PER_MINUTE, hour: values.SMTP_PER_HOUR },
    mailFrom: values.MAIL_FROM ?? { name: 'Canvass', address: `no-reply@${new URL(baseUrl).hostname}` },
    bounces: bouncesOf(values, fail('BOUNCE_ADDRESS')),
    allowSenders: values.MAIL_ALLOW_SENDERS,
    securityLogDays: Math.max(1, values.SECURITY_LOG_DAYS),
    invitesNewAccounts: values.INVITE_NEW_ACCOUNTS,
    admin: adminOf(values, fail('ADMIN_USERNAME')),
    secretKey: secretKeyOf(values, fail('SECRET_KEY')),
    trustedProxies: values.TRUSTED_PROXIES,
    // An origin in CORS_ORIGINS may also write with Basic credentials, as if it were in ALLOWED_ORIGINS. The value `*`
    // of CORS_ORIGINS adds no such origin.
    allowedOrigins: new Set([...(values.ALLOWED_ORIGINS ?? []), ...(corsOrigins === '*' ? [] : corsOrigins)]),
    /** Origins whose pages may call the API from a browser (CORS); `*`: any. */
    corsOrigins: corsOrigins === '*' ? ('*' as const) : new Set(corsOrigins),
    allowPrivateTargets: values.ALLOW_PRIVATE_TARGETS,
    rateLimit: values.RATE_LIMIT,
    requestLimits: requestLimitsOf(values),
    /** Maximum number of requests in progress; 0: unlimited. */
    concurrentRequests: values.CONCURRENT_REQUESTS,
    /**
     * Maximum number of connections of a network; 0: unlimited. Behind proxies, the address of a connection is that of a
     * proxy.
     */
    connectionsPerNetwork: values.TRUSTED_PROXIES ? 0 : limit(values.CONNECTIONS_PER_NETWORK),
    /** Limits by name; 0: unlimited. */
    limits: {
      passwordChecks: limit(values.PASSWORD_CHECKS),
      signInFailuresPerMinute: limit(values.SIGN_IN_FAILURES_PER_MINUTE),
      apiFailuresPerMinute: limit(values.API_FAILURES_PER_MINUTE),
      surveyRequestsPerMinute: limit(values.SURVEY_REQUESTS_PER_MINUTE),
      submissionsPerMinute: limit(values.SUBMISSIONS_PER_MINUTE),
      uploadsPerMinute: limit(values.UPLOADS_PER_MINUTE),
      shortLinksPerHour: limit(SHORT_LINKS_PER_HOUR),
      uploadMegabytesPerHour: limit(values.UPLOAD_MB_PER_HOUR),
      pageMegabytesPerHour: limit(values.PAGE_MB_PER_HOUR),
      idempotencyKeysPerDay: limit(values.IDEMPOTENCY_KEYS_PER_DAY),
      webhooksPerAccount: limit(values.WEBHOOKS_PER_ACCOUNT),
      emailsPerDay: limit(values.EMAILS_PER_DAY),
    },
    files: {
      maxMegabytes: Math.max(1, values.FILE_MAX_MB),
      megabytesPerAccount: values.FILES_MB_PER_ACCOUNT,
      surveyShare: Math.min(100, Math.max(1, values.FILES_PERCENT_PER_SURVEY)) / 100,
      /** Undefined: the database. */
      store: values.FILES_URL,
      scanner:
        values.FILE_SCAN_COMMAND === undefined
          ? undefined
          : { command: values.FILE_SCAN_COMMAND, path: env.PATH, processes: Math.max(1, values.FILE_SCAN_PROCESSES) },
      s3: s3SettingsOf(values, env),
    },
    worker: values.WORKER,
    /** Number of processes of `serve` that answer requests. */
    processes: Math.max(1, values.PROCESSES),
    /** Seconds between SIGTERM, when `/readyz` starts to return 503, and the closing of the listener. */
    stopDelaySeconds: values.STOP_DELAY_SECONDS,
    /** The port and interface on which `work` listens; undefined: it does not listen. */
    metricsListener: values.METRICS_PORT ? { port: values.METRICS_PORT, host: values.METRICS_HOST } : undefined,
    metricsToken: values.METRICS_TOKEN,
    backups: backupsOf(values, fail('BACKUP_TO')),
    serviceClientId: values.SERVICE_CLIENT_ID,
    /** How users sign in to the pages. */
    signIn: signInOf(values, fail('PASSWORD_SIGN_IN')),
    logLevel: values.LOG_LEVEL,
    /** The environment, whose standard variables configure OpenTelemetry; undefined: nothing is traced. */
    tracing: isTracingEnabled(env) ? env : undefined,
    /** If the operator chose a sampler, it decides about the traces of all requests. */
    continuesTraces: Boolean(env.OTEL_TRACES_SAMPLER),
    hstsSubdomains: values.HSTS_SUBDOMAINS,
    /** 0: no statement is logged. */
    slowQueryMs: values.SLOW_QUERY_MS,
  }
  return { config, errors }
}

/**
 * Reads and validates the settings. Creates the secret key if there is none.
 * @throws {ConfigError} with one line for each invalid setting
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const { config, errors } = inspectConfig(env)
  throwErrors(errors)
  const secretKey = config.secretKey ?? hashSecretKey(createSecretKey(config.dataDir, !config.databaseUrl))
  return Object.freeze({ ...config, secretKey })
}

function throwErrors(errors: readonly InvalidSetting[]): void {
  if (errors.length) throw new ConfigError(errors.map(({ message }) => message).join('\n'))
}

/**
 * Reads the settings for a command that requires an existing database. Without DATABASE_URL, first checks that the data
 * folder contains a database, so that a command in the wrong folder does not create a secret key.
 * @throws {ConfigError} when the data folder contains no database, or as `readConfig` does
 */
export function readConfigOfExistingDatabase(env: NodeJS.ProcessEnv = process.env): Config {
  const { dataDir, databaseUrl } = readBackupSettings(env)
  if (!databaseUrl && !existsSync(join(dataDir, 'postgres')))
    throw new ConfigError(
      `There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to the same value as for the server, or run "canvass migrate" to create a database here.`,
    )
  return readConfig(env)
}

/** Returns the environment for a process that runs a command on a given database. */
export const environmentFor = (databaseUrl: string): NodeJS.ProcessEnv => ({
  ...process.env,
  DATABASE_URL: databaseUrl,
})

/** Returns the recipients of a message that a mail server (Postfix, Exim) passes to a command. */
export const readRecipients = (env: NodeJS.ProcessEnv = process.env): string[] =>
  [env.ORIGINAL_RECIPIENT, env.RECIPIENT].flatMap((recipient) => recipient ?? [])

/** The settings of the commands that back up and restore. */
export interface BackupSettings {
  dataDir: string
  databaseUrl: string | undefined
  /** Undefined: there is no key yet. */
  secretKey: SecretKey | undefined
  /** Undefined: backups are not encrypted. */
  passphrase: string | undefined
  /** The settings that the program passes to the SDK of S3. */
  s3: ReturnType<typeof s3SettingsOf>
}

/**
 * Reads the settings of a backup or restore, and writes nothing.
 * @throws {ConfigError} naming the invalid setting
 */
export function readBackupSettings(env: NodeJS.ProcessEnv = process.env): BackupSettings {
  const { DATA_DIR, DATABASE_URL, SECRET_KEY, BACKUP_PASSPHRASE, S3_ADDRESSING_STYLE } = SETTINGS
  const [values, errors] = readSettings(
    { DATA_DIR, DATABASE_URL, SECRET_KEY, BACKUP_PASSPHRASE, S3_ADDRESSING_STYLE },
    env,
  )
  throwErrors(errors)
  return {
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    secretKey: findSecretKey(values.SECRET_KEY, values.DATA_DIR),
    passphrase: values.BACKUP_PASSPHRASE,
    s3: s3SettingsOf(values, env),
  }
}

/** Returns all settings with their values and sources, and the errors. */
export function describeConfig(env: NodeJS.ProcessEnv = process.env): { settings: PrintedSetting[]; errors: string[] } {
  const { config, errors } = inspectConfig(env)
  // The computed values of settings that are not set.
  const computed: Record<string, string> = {
    BASE_URL: config.baseUrl,
    DATA_DIR: config.dataDir,
    MAIL_FROM: `${config.mailFrom.name} <${config.mailFrom.address}>`,
  }
  const settings = Object.entries<Setting<unknown>>(SETTINGS).map(([name, entry]): PrintedSetting => {
    const { meaning, secret, unset } = entry
    const text = env[name]
    if (text) return { name, meaning, source: 'environment', value: secret ? '***' : withoutSecrets(text) }
    if (name === 'SECRET_KEY' && config.secretKey) return { name, meaning, source: 'file', value: '***' }
    const value = computed[name] ?? entry.default ?? null
    return { name, meaning, source: 'default', value, ...(value === null && { unset }) }
  })
  return { settings, errors: errors.map(({ message }) => message) }
}

/** Returns whether the standard variables of OpenTelemetry ask for traces. */
const isTracingEnabled = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  env.OTEL_TRACES_EXPORTER !== 'none' &&
  Boolean(env.OTEL_TRACES_EXPORTER || env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
