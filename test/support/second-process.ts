// A second server on the same database, which prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApplication } from '../../src/bootstrap.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/lib/log.ts'

const config = readConfig()
const application = await createApplication({
  config,
  databaseUrl: config.databaseUrl!,
  log: createLog('silent'),
  clock: () => new Date(),
  strict: false,
})
const server = createServer(application.app.callback())
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port} ready`))
process.once('SIGTERM', async () => {
  server.closeAllConnections()
  server.close()
  await application.close()
})
