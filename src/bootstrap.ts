import { join } from 'node:path'
import type { MikroORM } from '@mikro-orm/postgresql'
import type Koa from 'koa'
import { Pool } from 'pg'
import type { Clock, PgBoss } from 'pg-boss'
import { createAuthenticator } from './api/engine/authenticate.ts'
import { createApp } from './app.ts'
import { type Config, environmentFor } from './config.ts'
import { readBacklog } from './db/backlog.ts'
import { isDistributed } from './db/citus/distribution.ts'
import { translate } from './db/constraints.ts'
import { createOrm, poolOf, poolSizesOf } from './db/orm.ts'
import { createBatchTurns } from './db/processes/batch-turns.ts'
import { openCredentialInvalidation } from './db/processes/credential-invalidation.ts'
import { exchangeRequestCounts } from './db/processes/request-counts.ts'
import { createReachability } from './db/reachability.ts'
import { openReplicas } from './db/replicas/replicas.ts'
import { createSessions, SESSION_OPTIONS } from './db/sessions.ts'
import { logSlowQueries, traceStatement } from './db/statements.ts'
import { Admission } from './domain/admission.ts'
import { findBackupTimes } from './domain/backup-run.ts'
import { createFileServices } from './domain/file/file-services.ts'
import type { JobPayloads } from './domain/jobs.ts'
import { Limits } from './domain/limits.ts'
import { removalWarnings } from './domain/report/removal-warnings.ts'
import { RequestLimits } from './domain/request-limits.ts'
import { createRespondentLookups } from './domain/respondent/lookups.ts'
import { createSubmissionBatcher } from './domain/response/submit/submission-batcher.ts'
import { createTaskSandbox } from './domain/sandbox.ts'
import type { Operations, Services } from './domain/services.ts'
import { assertGroupRoles } from './domain/single-sign-on/groups.ts'
import { createSignInProviders } from './domain/single-sign-on/provider.ts'
import type { Tables } from './domain/tables.ts'
import { runBackupProcess } from './lib/backup-process.ts'
import { openDevMailbox } from './lib/dev-mailbox.ts'
import { openImapMailbox } from './lib/imap-mailbox.ts'
import { jobQueue, openJobQueue } from './lib/job-queue.ts'
import type { Log } from './lib/log.ts'
import { createMailer } from './lib/mailer.ts'
import { isLoopbackUrl } from './lib/network.ts'
import { createPictures } from './lib/pictures.ts'
import { connectionTo } from './lib/postgres-client.ts'
import { createSafeHttp } from './lib/safe-http.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { countResponses, observeMailer } from './observe.ts'
import { createProbes, type Probes } from './probe.ts'
import { listenForBounces } from './worker/bounce-listener.ts'
import { createDeliveries } from './worker/deliveries.ts'
import { tasks } from './worker/tasks.ts'
import { startWorker, type Worker } from './worker/worker.ts'

export interface Application {
  orm: MikroORM
  services: Services
  app: Koa
  /** Health checks and metrics, which `app` answers too. */
  probes: Probes
  /** The job queue; tests fetch jobs from it directly. */
  boss: PgBoss
  /** Starts running jobs in this process. Stop the worker before `close`. */
  startWorker(): Promise<Worker>
  /** Makes `/readyz` return 503, so that load balancers stop sending requests. */
  drain(): void
  /** Waits until the submitted responses are stored, then closes all connections. */
  close(): Promise<void>
}

export interface ApplicationOptions {
  config: Config
  databaseUrl: string
  log: Log
  clock(): Date
  /** Verifies every reply against the contract; set in all tests. */
  strict: boolean
  /** What the pages of the administration need of the command line. */
  operations?: Operations
  /** The clock of the job queue, for tests; absent: the real time. */
  jobClock?: Clock
}

/** Creates the application: the same for the server and for the tests. */
export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const { config } = options
  const stores = await openStores(options)
  const admission = new Admission(config.concurrentRequests)
  const metrics = createMetrics({
    pools: stores.pools,
    requests: admission,
    reads: stores.replicas.reads,
    readBacklog: () => readBacklog(stores.pool),
    backups: config.backups && (() => findBackupTimes({ em: stores.orm.em.fork() })),
  })
  const services = createServices(options, stores, admission, metrics)
  const faces = await createFaces(options, stores, services, metrics)
  return {
    orm: stores.orm,
    boss: stores.boss,
    services,
    ...faces,
    close: async () => {
      await services.submissionBatcher.close()
      await services.safeHttp.close()
      await services.mailer.close()
      await services.pictures.close()
      await services.sandbox.close()
      await services.files.close()
      await stores.close()
    },
  }
}

type Stores = Awaited<ReturnType<typeof openStores>>

/** Opens what keeps data, and what the processes of a database share through it. */
async function openStores({ config, databaseUrl, log, jobClock }: ApplicationOptions) {
  const observers = [
    ...(config.slowQueryMs ? [logSlowQueries({ thresholdMs: config.slowQueryMs, log })] : []),
    ...(config.tracing ? [traceStatement] : []),
  ]
  const sizes = poolSizesOf(config.databaseConnections)
  const sessions = createSessions(observers)
  /** Returns the connection options of a pool. */
  const connectionOf = (name: string) =>
    connectionTo(databaseUrl, { ...SESSION_OPTIONS, Client: sessions.Client, application_name: name })
  const reachability = createReachability(databaseUrl, sessions, log)
  const orm = createOrm(databaseUrl, sizes.entities, sessions)
  const pool = new Pool({ ...connectionOf('canvass-hot'), max: sizes.hot, idleTimeoutMillis: 30_000 })
  // Logs only the message, because the error contains the client with its password.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'lost an idle database connection'))
  const distributed = await isDistributed(pool)
  const turns = config.processes > 1 && !distributed ? createBatchTurns(connectionOf('canvass-turns')) : undefined
  const boss = await openJobQueue(connectionOf('canvass-queue'), log, jobClock)
  const replicas = await openReplicas(config.replicaUrls, sizes, pool, log, observers)
  const invalidation = await openCredentialInvalidation(orm, boss.getDb())
  const requestLimits = new RequestLimits(config.requestLimits)
  const requestCounts = await exchangeRequestCounts(requestLimits, boss.getDb())
  return {
    connectionOf,
    reachability,
    orm,
    pool,
    isDistributed: distributed,
    turns,
    boss,
    replicas,
    invalidation,
    requestLimits,
    /** The folder of messages if there is no mail server. */
    devMailbox: config.mailServer ? undefined : await openDevMailbox(join(config.dataDir, 'outbox')),
    pools: { entities: await poolOf(orm), hot: pool, ...replicas.pools },
    close: async () => {
      await turns?.close()
      await invalidation.close()
      await requestCounts.close()
      await boss.stop({ graceful: false })
      await replicas.close()
      await pool.end()
      await orm.close(true)
      reachability.close()
    },
  }
}

/** Creates the settings and services of all requests and jobs. No member changes afterwards. */
function createServices(
  { config, databaseUrl, log, operations }: ApplicationOptions,
  { pool, orm, boss, turns, replicas, invalidation, requestLimits, isDistributed, devMailbox }: Stores,
  admission: Admission,
  metrics: Metrics,
): Services {
  const recordBatch = (durationMs: number) => admission.recordBatch(durationMs)
  const { backups } = config
  const providers = createSignInProviders(config.signIn.providers)
  assertGroupRoles(providers)
  return {
    baseUrl: config.baseUrl,
    secretKey: config.secretKey,
    rateLimit: config.rateLimit,
    limits: new Limits(config.limits),
    requestLimits,
    admission,
    mailFrom: config.mailFrom,
    bounceAddress: config.bounces.address,
    bounceMailbox: config.bounces.mailbox && openImapMailbox(config.bounces.mailbox),
    allowSenders: config.allowSenders,
    securityLogDays: config.securityLogDays,
    invitesNewAccounts: config.invitesNewAccounts,
    allowedOrigins: config.allowedOrigins,
    invalidateCredentials: invalidation.publish,
    pool,
    database: orm.em.getDriver(),
    replicas,
    submissionBatcher: countResponses(createSubmissionBatcher(pool, { turns, recordBatch, isDistributed }), metrics),
    respondentLookups: createRespondentLookups(orm.em.fork().getKysely<Tables>()),
    removalWarnings,
    jobs: jobQueue<JobPayloads>(boss),
    safeHttp: createSafeHttp(config.allowPrivateTargets),
    serviceClientId: config.serviceClientId,
    signIn: { ...config.signIn, providers },
    mailer: observeMailer(devMailbox ?? createMailer(config.mailServer!), metrics, log),
    mailLimits: config.mailLimits,
    hasMailServer: !devMailbox,
    deliversMail: !devMailbox || isLoopbackUrl(config.baseUrl),
    operations,
    pictures: createPictures(),
    sandbox: createTaskSandbox(),
    files: createFileServices(config.files, log, metrics.countStoreFailure),
    backUpOnSchedule:
      backups &&
      (async (signal) => {
        const warnings = await runBackupProcess(environmentFor(databaseUrl), backups.to, backups.keep, signal)
        for (const warning of warnings) log.warn({ to: backups.to }, warning)
      }),
  }
}

/** Creates what answers requests and runs jobs. */
async function createFaces(
  { config, log, clock, strict }: ApplicationOptions,
  { orm, reachability, connectionOf, invalidation, devMailbox }: Stores,
  services: Services,
  metrics: Metrics,
): Promise<Pick<Application, 'app' | 'probes' | 'startWorker' | 'drain'>> {
  const fork = () => orm.em.fork()
  const context = () => ({ em: fork(), now: clock(), services })
  const { authenticate, invalidate } = createAuthenticator(services, fork, clock)
  invalidation.subscribe(invalidate)
  const translated = (error: unknown) => {
    reachability.reportError(error)
    return translate(error)
  }
  const { rejectOnOutage } = reachability
  const deps = { fork, clock, services, strict, translate: translated, rejectOnOutage, authenticate }
  const isLocal = isLoopbackUrl(config.baseUrl)
  const { metricsToken, secretKey } = config
  let draining = false
  const ready = async () => !draining && (await reachability.check())
  const probes = createProbes({ ready, metrics, metricsToken, secretKey, isLocal })
  const app = await createApp({ ...deps, devMailbox: isLocal ? devMailbox : undefined }, probes, log, config)
  return {
    app,
    probes,
    startWorker: async () => {
      const worker = await startWorker({
        connection: connectionOf('canvass-worker'),
        context,
        tasks,
        deliveries: createDeliveries(context, log, metrics.countWebhook),
        schedules: { 'back-up': config.backups?.schedule, 'read-bounces': services.bounceMailbox && '* * * * *' },
        log,
      })
      const { lmtp } = config.bounces
      const listener = lmtp && listenForBounces(lmtp, context, log)
      return { stop: async () => void (await Promise.all([worker.stop(), listener?.stop()])) }
    },
    drain: () => {
      draining = true
    },
  }
}
