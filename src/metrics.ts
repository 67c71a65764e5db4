import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { shareMetrics } from './lib/process-metrics.ts'

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

/** What the metrics are read from. */
export interface MetricSources {
  /** Connection pools by name. */
  pools: Readonly<Record<string, PoolCounts>>
  /** The requests in progress and the rejected ones. */
  requests: RequestCounts
  /** Numbers of reads by database; undefined without replicas. */
  reads: Readonly<Record<string, number>> | undefined
  /** Returns when the last scheduled backups ended; undefined without a schedule. */
  backups: (() => Promise<BackupTimes>) | undefined
}

/** When the last scheduled backups succeeded and failed, in seconds since 1970. */
export interface BackupTimes {
  lastSuccess: number
  lastFailure: number
}

export interface Metrics {
  contentType: string
  /** Returns the metrics in the text format of Prometheus. */
  read(): Promise<string>
  /** Records a request. */
  observeRequest(labels: { method: string; operation: string; status: number }, seconds: number): void
}

/** Creates the metrics of this process. */
export function createMetrics({ pools, requests, reads, backups }: MetricSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const read = shareMetrics(registry)
  new Gauge({
    name: 'database_connections',
    help: 'Connections to the database by pool: total, idle, and requests waiting for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
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
    registers: [registry],
    collect() {
      for (const [priority, count] of Object.entries(requests.processing)) this.set({ priority }, count)
    },
  })
  new Counter({
    name: 'http_requests_rejected_total',
    help: 'Requests rejected with 503 because the server is overloaded, by priority.',
    labelNames: ['priority'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [priority, count] of Object.entries(requests.rejected)) this.inc({ priority }, count)
    },
  })
  if (reads)
    new Counter({
      name: 'database_reads_total',
      help: 'Reads that a replica can answer, by the database that answered: replica or primary.',
      labelNames: ['database'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [database, count] of Object.entries(reads)) this.inc({ database }, count)
      },
    })
  if (backups) addBackupMetrics(registry, backups)
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its reply.',
    labelNames: ['method', 'operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })

  return {
    contentType: registry.contentType,
    read,
    observeRequest: (labels, duration) => seconds.observe(labels, duration),
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
    'backup_last_success_timestamp_seconds',
    'End of the last scheduled backup that succeeded; 0: none.',
    'lastSuccess',
  )
  gauge(
    'backup_last_failure_timestamp_seconds',
    'End of the last scheduled backup that failed; 0: none.',
    'lastFailure',
  )
}
