import { join } from 'node:path'
import type { MikroORM } from '@mikro-orm/postgresql'
import type Koa from 'koa'
import { Pool } from 'pg'
import type { Clock, PgBoss } from 'pg-boss'
import { createAuthenticator } from './api/engine/authenticate.ts'
import { createApp } from './app.ts'
import { type Config, environmentFor } from './config.ts'
import { readBacklog } from './db/backlog.ts'
import { createBatchTurns } from './db/batch-turns.ts'
import { translate } from './db/constraints.ts'
import { openCredentialInvalidation } from './db/credential-invalidation.ts'
import { isDistributed } from './db/distribution.ts'
import { createOrm, poolOf, poolSizesOf } from './db/orm.ts'
import { createReachability } from './db/reachability.ts'
import { noReplicas, openReplicas } from './db/replicas.ts'
import { exchangeRequestCounts } from './db/request-counts.ts'
import { createSessions, SESSION_OPTIONS } from './db/sessions.ts'
import { logSlowQueries, traceStatement } from './db/statements.ts'
import { Admission } from './domain/admission.ts'
import { findBackupTimes } from './domain/backup-run.ts'
import { createFileServices } from './domain/file/file-services.ts'
import type { JobPayloads } from './domain/jobs.ts'
import { Limits } from './domain/limits.ts'
import { RequestLimits } from './domain/request-limits.ts'
import {
  createBatcherPerSurvey,
  createSubmissionBatcher,
  idsOfCoordinator,
} from './domain/response/submit/submission-batcher.ts'
import { createListPlanner } from './domain/rollup/list.ts'
import { removalWarnings } from './domain/rollup/removal-warnings.ts'
import { createTaskSandbox } from './domain/sandbox.ts'
import type { Services } from './domain/services.ts'
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
import { createMetrics } from './metrics.ts'
import { countWork, logMailFaults, traceEmails } from './observe.ts'
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
  config: Pick<
    Config,
    | 'baseUrl'
    | 'secretKey'
    | 'rateLimit'
    | 'limits'
    | 'requestLimits'
    | 'concurrentRequests'
    | 'mailFrom'
    | 'bounces'
    | 'allowSenders'
    | 'trustedProxies'
    | 'tracing'
    | 'continuesTraces'
    | 'hstsSubdomains'
    | 'allowedOrigins'
    | 'corsOrigins'
    | 'allowPrivateTargets'
    | 'mailServer'
    | 'mailLimits'
    | 'dataDir'
    | 'serviceClientId'
    | 'metricsToken'
    | 'slowQueryMs'
    | 'replicaUrls'
    | 'databaseConnections'
    | 'backups'
    | 'processes'
    | 'files'
  >
  databaseUrl: string
  log: Log
  clock(): Date
  /** Verifies every reply against the contract; set in all tests. */
  strict: boolean
  /** The clock of the job queue, for tests; absent: the real time. */
  jobClock?: Clock
}

/** Creates the application: the same for the server and for the tests. */
export async function createApplication({
  config,
  databaseUrl,
  log,
  clock,
  strict,
  jobClock,
}: ApplicationOptions): Promise<Application> {
  const { backups } = config
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
  const orm = await createOrm(databaseUrl, sizes.entities, sessions)
  const fork = () => orm.em.fork()
  const pool = new Pool({
    ...connectionOf('canvass-hot'),
    max: sizes.hot,
    idleTimeoutMillis: 30_000,
  })
  // Logs only the message, because the error contains the client with its password.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'lost an idle database connection'))
  const admission = new Admission(config.concurrentRequests)
  const distributed = await isDistributed(pool)
  const turns = config.processes > 1 && !distributed ? createBatchTurns(connectionOf('canvass-turns')) : undefined
  const createBatcher = (nextIds?: ReturnType<typeof idsOfCoordinator>) =>
    createSubmissionBatcher(pool, turns, (durationMs) => admission.recordBatch(durationMs), nextIds)
  const submissionBatcher = distributed
    ? createBatcherPerSurvey(() => createBatcher(idsOfCoordinator(pool)))
    : createBatcher()
  const boss = await openJobQueue(connectionOf('canvass-queue'), log, jobClock)
  const jobs = jobQueue<JobPayloads>(boss)
  const safeHttp = createSafeHttp(config.allowPrivateTargets)
  const devMailbox = config.mailServer ? undefined : await openDevMailbox(join(config.dataDir, 'outbox'))
  const isLocal = isLoopbackUrl(config.baseUrl)
  const mailer = devMailbox ?? createMailer(config.mailServer!)
  const services: Services = {
    baseUrl: config.baseUrl,
    secretKey: config.secretKey,
    rateLimit: config.rateLimit,
    limits: new Limits(config.limits),
    requestLimits: new RequestLimits(config.requestLimits),
    admission,
    mailFrom: config.mailFrom,
    bounceAddress: config.bounces.address,
    bounceMailbox: config.bounces.mailbox && openImapMailbox(config.bounces.mailbox),
    allowSenders: config.allowSenders,
    allowedOrigins: config.allowedOrigins,
    invalidateCredentials: (em, accountIds) => invalidation.publish(em, accountIds),
    pool,
    database: orm.em.getDriver(),
    replicas: noReplicas,
    submissionBatcher,
    listPlanner: createListPlanner(),
    removalWarnings,
    jobs,
    safeHttp,
    serviceClientId: config.serviceClientId,
    mailer,
    mailLimits: config.mailLimits,
    hasMailServer: !devMailbox,
    deliversMail: !devMailbox || isLocal,
    pictures: createPictures(),
    sandbox: createTaskSandbox(),
    files: createFileServices(config.files, log),
    backUpOnSchedule:
      backups &&
      (async (signal) => {
        const warnings = await runBackupProcess(environmentFor(databaseUrl), backups.to, backups.keep, signal)
        for (const warning of warnings) log.warn({ to: backups.to }, warning)
      }),
  }
  const replicas = config.replicaUrls.length
    ? await openReplicas(config.replicaUrls, sizes, services, log, observers)
    : undefined
  if (replicas) services.replicas = replicas
  const metrics = createMetrics({
    pools: { entities: await poolOf(orm), hot: pool, ...replicas?.pools },
    requests: admission,
    reads: replicas?.reads,
    readBacklog: () => readBacklog(pool),
    backups: backups && (() => findBackupTimes({ em: fork() })),
  })
  countWork(services, metrics)
  logMailFaults(services, log)
  traceEmails(services)
  const context = () => ({ em: fork(), now: clock(), services })
  const credentials = createAuthenticator(services, fork, clock)
  const invalidation = await openCredentialInvalidation(orm, boss.getDb(), credentials.invalidate)
  const requestCounts = await exchangeRequestCounts(services.requestLimits, boss.getDb())
  let draining = false
  const ready = async () => !draining && (await reachability.check())
  const deps = {
    fork,
    clock,
    services,
    strict,
    translate: (error: unknown) => {
      reachability.reportError(error)
      return translate(error)
    },
    rejectOnOutage: reachability.rejectOnOutage,
    authenticate: credentials.authenticate,
  }
  const { metricsToken, secretKey } = config
  const probes = createProbes({ ready, metrics, metricsToken, secretKey, isLocal })
  const app = await createApp({ ...deps, devMailbox: isLocal ? devMailbox : undefined }, probes, log, config)
  return {
    orm,
    services,
    app,
    probes,
    boss,
    startWorker: async () => {
      const worker = await startWorker({
        connection: connectionOf('canvass-worker'),
        context,
        tasks,
        deliveries: createDeliveries(context, log, metrics.countWebhook),
        schedules: { 'back-up': backups?.schedule, 'read-bounces': services.bounceMailbox && '* * * * *' },
        log,
      })
      const { lmtp } = config.bounces
      const listener = lmtp && listenForBounces(lmtp, context, log)
      return { stop: async () => void (await Promise.all([worker.stop(), listener?.stop()])) }
    },
    drain: () => {
      draining = true
    },
    close: async () => {
      await submissionBatcher.close()
      await turns?.close()
      await invalidation.close()
      await requestCounts.close()
      await boss.stop({ graceful: false })
      await safeHttp.close()
      await mailer.close()
      await services.pictures.close()
      await services.sandbox.close()
      await services.files.close()
      await replicas?.close()
      await pool.end()
      await orm.close(true)
      reachability.close()
    },
  }
}
