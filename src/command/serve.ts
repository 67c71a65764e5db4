import { createServer } from 'node:http'
import { type Config, readConfig } from '../config.ts'
import { keepAdministrator } from '../domain/account/commands.ts'
import { createLog } from '../lib/log.ts'
import { wire } from '../wire.ts'
import { openDatabase } from './database.ts'
import { welcome } from './welcome.ts'

/** How long requests in flight may take to finish once the server was told to stop, in milliseconds. */
const GRACE = 20_000

/** `serve`: migrates, listens, and stops gracefully on SIGINT and SIGTERM: what is in flight finishes first. */
export async function run(): Promise<void> {
  const config: Config = readConfig()
  const log = createLog(config.logLevel)
  const database = await openDatabase(config)
  const wired = await wire({ config, databaseUrl: database.url, log, clock: () => new Date(), strict: false })
  const context = { em: wired.orm.em.fork(), now: new Date(), site: wired.site }
  if (config.admin) await context.em.transactional((em) => keepAdministrator({ ...context, em }, config.admin!))
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 120_000 }, wired.app.callback())

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    wired.drain()
    const late = setTimeout(() => server.closeAllConnections(), GRACE)
    await new Promise((resolve) => {
      server.close(resolve)
      server.closeIdleConnections()
    })
    clearTimeout(late)
    await wired.close()
    await database.stop()
    log.info('stopped')
    log.flush(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, resolve)
  }).catch(async (error: NodeJS.ErrnoException) => {
    await wired.close()
    await database.stop()
    if (error.code === 'EADDRINUSE')
      throw new Error(`Port ${config.port} is taken: stop what listens there, or set PORT to another.`)
    throw error
  })
  if (!config.admin) await welcome({ ...context, em: wired.orm.em.fork() })
  console.log(`Canvass answers at ${config.baseUrl} (stop with Ctrl-C)`)
}
