import cluster from 'node:cluster'
import Koa from 'koa'
import { type Application, createApplication } from '../bootstrap.ts'
import { type Config, readConfig } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { openUntilSignal } from './database.ts'
import { releaseMemoryWhenIdle } from './idle-memory.ts'
import { listen } from './listen.ts'
import { openObservation, reportReady } from './processes.ts'
import { closeInTime, firstSignal, limitStop, type Stopper } from './stop.ts'

/** `work`: runs background jobs. Any number of these processes can share a database. */
export async function run(): Promise<void> {
  const config = readConfig()
  const signalled = firstSignal()
  releaseMemoryWhenIdle()
  const { log, closeTracing } = await openObservation(config)
  const database = await openUntilSignal(
    config,
    signalled,
    // A process that `serve` has started shares the connections with the others.
    cluster.isPrimary ? { ...config, processes: 1, worker: true } : config,
  )
  if (!database) return log.flush(() => process.exit(0))
  try {
    const application = await createApplication({
      config: { ...config, databaseConnections: database.databaseConnections },
      databaseUrl: database.url,
      log,
      clock: () => new Date(),
      strict: false,
    })
    try {
      const listener = await listenForProbes(config, application, log)
      const worker = await application.startWorker()
      if (cluster.isPrimary) console.log('Canvass is running background jobs (stop with Ctrl-C)')
      reportReady()
      log.info({ signal: await signalled }, 'stopping')
      limitStop()
      application.drain()
      await worker.stop()
      await listener?.stop(0)
    } finally {
      await closeInTime(application.close())
    }
  } finally {
    await database.stop()
  }
  await closeInTime(closeTracing())
  log.flush(() => process.exit(0))
}

/**
 * Answers health checks and Prometheus if a port is set. A process that `serve` has started does not listen: its
 * parent process collects the metrics.
 */
async function listenForProbes(
  { metricsListener }: Config,
  { probes }: Application,
  log: Log,
): Promise<Stopper | undefined> {
  if (!metricsListener || !cluster.isPrimary) return undefined
  return listen({ ...metricsListener, setting: 'METRICS_PORT', log }, new Koa().use(probes.answer).callback())
}
