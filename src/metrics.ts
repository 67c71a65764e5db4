import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { shareMetrics } from './lib/process-metrics.ts'
import { PROGRAM_VERSION } from './lib/program-version.ts'

/** The state of a connection pool: all connections, the idle ones, and the requests that wait for a connection. */
export interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** The number of requests by priority: those in progress, and those rejected since the start because of overload. */
export interface RequestCounts {
  processing: Readonly<Record<string, number>>
  rejected: Readonly<Record<string, number>>
}

/** The numbers in the database that all servers share. */
export interface Backlog {
  /** Due jobs, the age of the oldest one in seconds, and jobs that failed in the last day. */
  jobs: { waiting: number; oldestSeconds: number; failed: number }
  /** Seconds since a worker has last shown that it runs. */
  workerSilenceSeconds: number
  queuedEmails: number
  pendingDeliveries: number
  pendingFileDeletions: number
  webhooks: { enabled: number; paused: number; disabled: number }
}

/** What the metrics are read from. */
export interface MetricSources {
  /** Connection pools by name. */
  pools: Readonly<Record<string, PoolCounts>>
  requests: RequestCounts
  /** Numbers of reads by database; undefined without replicas. */
  reads: Readonly<Record<string, number>> | undefined
  /** Reads the numbers in the database. Rejects if it does not respond. */
  readBacklog(): Promise<Backlog>
  /** Returns when the last scheduled backups ended; undefined without a schedule. */
  backups: (() => Promise<BackupTimes>) | undefined
}

/** When the last scheduled backups succeeded and failed, in seconds since 1970. */
export interface BackupTimes {
  lastSuccess: number
  lastFailure: number
}

/** The results of attempts to send an email, and to deliver a webhook message. */
const EMAIL_RESULTS = ['sent', 'rejected', 'deferred', 'limited', 'refused', 'misconfigured', 'unreachable'] as const
const WEBHOOK_RESULTS = ['delivered', 'retry', 'disabled', 'gone'] as const
/** The operations on the bucket of uploaded files. */
const STORE_OPERATIONS = ['write', 'read', 'delete'] as const

export interface Metrics {
  contentType: string
  /** Returns the metrics in the text format of Prometheus. */
  read(): Promise<string>
  observeRequest(labels: { method: string; operation: string; status: number }, seconds: number): void
  countResponse(): void
  countEmail(result: (typeof EMAIL_RESULTS)[number]): void
  countWebhook(result: (typeof WEBHOOK_RESULTS)[number]): void
  countStoreFailure(operation: (typeof STORE_OPERATIONS)[number]): void
}

/**
 * Creates the metrics of this process, and of the database. Names that only this service has begin with `canvass_`. A
 * counter exists from the start for each value of its label `result`, because Prometheus does not see a first increase
 * otherwise. Numbers of the database have no label `process`: all servers report the same ones.
 */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const readProcesses = shareMetrics(registry)
  addProcessState(registry, sources)
  if (sources.backups) addBackupMetrics(registry, sources.backups)
  const backlog = createBacklogMetrics(sources.readBacklog)
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its reply.',
    labelNames: ['method', 'operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const responses = new Counter({
    name: 'canvass_responses_stored_total',
    help: 'Responses that were stored by submissions.',
    registers: [registry],
  })
  const emails = countBy(registry, 'canvass_email_attempts_total', 'Attempts to send an email', EMAIL_RESULTS)
  const webhooks = countBy(
    registry,
    'canvass_webhook_attempts_total',
    'Attempts to deliver a webhook message',
    WEBHOOK_RESULTS,
  )
  const storeFailures = new Counter({
    name: 'canvass_file_store_failures_total',
    help: `Failed operations on the bucket of uploaded files: ${STORE_OPERATIONS.join(', ')}.`,
    labelNames: ['operation'],
    registers: [registry],
  })
  for (const operation of STORE_OPERATIONS) storeFailures.inc({ operation }, 0)
  return {
    contentType: registry.contentType,
    // The numbers of the database are the same for all processes, so only the process that is asked reads them.
    read: async () => (await Promise.all([readProcesses(), backlog()])).join(''),
    observeRequest: (labels, duration) => seconds.observe(labels, duration),
    countResponse: () => responses.inc(),
    countEmail: (result) => emails.inc({ result }),
    countWebhook: (result) => webhooks.inc({ result }),
    countStoreFailure: (operation) => storeFailures.inc({ operation }),
  }
}

/** Creates a counter with a label `result`. Each result starts at 0, so that its first increase is visible. */
function countBy(registry: Registry, name: string, what: string, results: readonly string[]): Counter<'result'> {
  const help = `${what}, by result: ${results.join(', ')}.`
  const counter = new Counter({ name, help, labelNames: ['result'], registers: [registry] })
  for (const result of results) counter.inc({ result }, 0)
  return counter
}

function addProcessState(registry: Registry, { pools, requests, reads }: MetricSources): void {
  const registers = [registry]
  new Gauge({
    name: 'canvass_build_info',
    help: 'Always 1; the label is the version of the program.',
    labelNames: ['version'],
    registers,
  }).set({ version: PROGRAM_VERSION }, 1)
  new Gauge({
    name: 'database_connections',
    help: 'Connections to the database by pool: total, idle, and requests waiting for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        this.set({ pool, state: 'total' }, totalCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
  new Gauge({
    name: 'http_requests_in_progress',
    help: 'Requests that the server processes, by priority: high for submissions and survey pages, normal for others.',
    labelNames: ['priority'],
    registers,
    collect() {
      for (const [priority, count] of Object.entries(requests.processing)) this.set({ priority }, count)
    },
  })
  const counters = [
    [
      'http_requests_rejected_total',
      'Requests rejected with 503 because the server is overloaded.',
      'priority',
      requests.rejected,
    ],
    [
      'database_reads_total',
      'Reads that may use a replica, by the database that answered: replica or primary.',
      'database',
      reads ?? {},
    ],
  ] as const
  for (const [name, help, label, counts] of counters)
    new Counter<string>({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [value, count] of Object.entries(counts)) this.inc({ [label]: value }, count)
      },
    })
}

/** @returns a function that returns the metrics of the database in the text format of Prometheus */
function createBacklogMetrics(readBacklog: MetricSources['readBacklog']): () => Promise<string> {
  const registry = new Registry()
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge<string>({ name: `canvass_${name}`, help, labelNames, registers: [registry] })
  const up = gauge('database_up', '1 if the database responds, otherwise 0.')
  const waiting = gauge('jobs_waiting', 'Due jobs that no worker has started.')
  const oldest = gauge('jobs_oldest_wait_seconds', 'Time for which the oldest due job has waited.')
  const failed = gauge('jobs_failed', 'Jobs that failed in the last day, after all retries.')
  const silence = gauge(
    'worker_silence_seconds',
    'Time since a worker has last shown that it runs; about a minute is normal.',
  )
  const emails = gauge('emails_queued', 'Email messages that wait to be sent; at most 100,000 are counted.')
  const deliveries = gauge(
    'webhook_deliveries_pending',
    'Webhook messages that have not been delivered; at most 100,000 are counted.',
  )
  const fileDeletions = gauge(
    'file_deletions_pending',
    'Uploaded files to delete from their bucket; at most 100,000 are counted.',
  )
  const webhooks = gauge('webhooks', 'Webhooks by state: enabled, paused, disabled.', ['state'])
  return async () => {
    const backlog = await readBacklog().catch(() => undefined)
    // Without the database, the other numbers are unknown and left out.
    registry.resetMetrics()
    up.set(backlog ? 1 : 0)
    if (!backlog) return registry.getSingleMetricAsString('canvass_database_up').then((text) => `${text}\n`)
    waiting.set(backlog.jobs.waiting)
    oldest.set(backlog.jobs.oldestSeconds)
    failed.set(backlog.jobs.failed)
    silence.set(backlog.workerSilenceSeconds)
    emails.set(backlog.queuedEmails)
    deliveries.set(backlog.pendingDeliveries)
    fileDeletions.set(backlog.pendingFileDeletions)
    for (const [state, count] of Object.entries(backlog.webhooks)) webhooks.set({ state }, count)
    return registry.metrics()
  }
}

/** Adds the times of backups. They are the same for all servers on a database. */
function addBackupMetrics(registry: Registry, backups: () => Promise<BackupTimes>): void {
  const gauge = (name: string, help: string, member: keyof BackupTimes) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: 'max',
      async collect() {
        // While the database is unreachable, the last value remains, and the other metrics can be read.
        const times = await backups().catch(() => undefined)
        if (times) this.set(times[member])
      },
    })
  gauge(
    'canvass_backup_last_success_timestamp_seconds',
    'End of the last scheduled backup that succeeded; 0: none.',
    'lastSuccess',
  )
  gauge(
    'canvass_backup_last_failure_timestamp_seconds',
    'End of the last scheduled backup that failed; 0: none.',
    'lastFailure',
  )
}
