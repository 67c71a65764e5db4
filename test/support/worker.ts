// A worker whose task stores its process ID and then finishes (`done`), waits for a second (`slow`) or never ends
// (`hang`).
import { setTimeout as pause } from 'node:timers/promises'
import { createApplication } from '../../src/bootstrap.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/lib/log.ts'
import { connectionTo } from '../../src/lib/postgres-client.ts'
import { createDeliveries } from '../../src/worker/deliveries.ts'
import { tasks } from '../../src/worker/tasks.ts'
import { startWorker } from '../../src/worker/worker.ts'

const mode = process.argv[2]
const config = readConfig()
const log = createLog('silent')
const databaseUrl = config.databaseUrl!
const application = await createApplication({ config, databaseUrl, log, clock: () => new Date(), strict: false })
const context = () => ({ em: application.orm.em.fork(), now: new Date(), services: application.services })
const worker = await startWorker({
  connection: connectionTo(databaseUrl, { application_name: 'canvass-worker' }),
  log,
  context,
  deliveries: createDeliveries(context, log),
  tasks: {
    ...tasks,
    'purge-webhook-deliveries': async () => {
      await application.services.pool.query('insert into started (pid) values ($1)', [process.pid])
      console.log('started')
      if (mode === 'hang') await new Promise(() => undefined)
      if (mode === 'slow') await pause(1000)
      await application.services.pool.query('insert into finished (pid) values ($1)', [process.pid])
    },
  },
})
console.log('ready')
process.once('SIGTERM', async () => {
  await worker.stop()
  await application.close()
})
