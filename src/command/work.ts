import cluster from 'node:cluster'
import { createApplication } from '../bootstrap.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../lib/log.ts'
import { openDatabase } from './database.ts'
import { reportReady } from './processes.ts'
import { closeInTime, firstSignal, limitStop } from './signal.ts'

/** `work`: runs background jobs without a listener. Any number of these processes can share a database. */
export async function run(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.logLevel)
  const signalled = firstSignal()
  const database = await openDatabase(config)
  try {
    const application = await createApplication({
      config,
      databaseUrl: database.url,
      log,
      clock: () => new Date(),
      strict: false,
    })
    try {
      const worker = await application.startWorker()
      if (cluster.isPrimary) console.log('Canvass is running background jobs (stop with Ctrl-C)')
      reportReady()
      log.info({ signal: await signalled }, 'stopping')
      limitStop()
      await worker.stop()
    } finally {
      await closeInTime(application.close())
    }
  } finally {
    await database.stop()
  }
  log.flush(() => process.exit(0))
}
