import { createServer } from 'node:http'
import { join } from 'node:path'
import { type Application, createApplication } from '../bootstrap.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { upsertAdmin } from '../domain/account/upsert-admin.ts'
import type { PublicContext } from '../domain/context.ts'
import { createLog } from '../lib/log.ts'
import { openDatabase } from './database.ts'
import { closeInTime, firstSignal, limitStop } from './signal.ts'
import { createStopper, type Stopper } from './stop.ts'
import { welcome } from './welcome.ts'

/** `serve`: migrates, listens, and stops gracefully on SIGINT and SIGTERM: requests in flight are answered first. */
export async function run(): Promise<void> {
  const config: Config = readConfig()
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
      await underLock(application, (context) => applyAdminSettings(config, context))
      const stopper = await listen(config, application)
      // Only now: its secrets are shown once, in lines that name the port.
      if (!config.admin) await underLock(application, () => welcome(contextOf(application)))
      const worker = config.worker ? await application.startWorker() : undefined
      if (!application.services.deliversMail) console.log(noMailWarning(config))
      console.log(`Canvass answers at ${config.baseUrl} (stop with Ctrl-C)`)
      const signal = await signalled
      log.info({ signal }, 'stopping')
      // Ctrl-C at a terminal: no load balancer has to notice.
      const delayMs = signal === 'SIGINT' ? 0 : config.stopDelaySeconds * 1000
      limitStop(delayMs)
      application.drain()
      await Promise.all([stopper.stop(delayMs), worker?.stop()])
    } finally {
      await closeInTime(application.close())
    }
  } finally {
    await database.stop()
  }
  log.flush(() => process.exit(0))
}

/** Told at each start of a public server without a mail server. */
const noMailWarning = ({ dataDir }: Config): string =>
  `Warning: SMTP_URL is not set. No e-mail is delivered: messages are kept in ${join(dataDir, 'outbox')}, and nobody can choose a new password by e-mail. To set one: node src/main.ts password <name>`

const contextOf = ({ orm, services }: Application) => ({ em: orm.em.fork(), now: new Date(), services })

/** Runs in a transaction while no other server does: of two first starts at once, one creates the first account. */
async function underLock(application: Application, work: (context: PublicContext) => Promise<unknown>): Promise<void> {
  const context = contextOf(application)
  await context.em.transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(hashtext('canvass-first-account'))`)
    await work({ ...context, em })
  })
}

/** The administrator of the settings is there before anybody can ask. */
async function applyAdminSettings({ admin }: Config, context: PublicContext): Promise<void> {
  if (!admin) return
  const { keyWorks } = await upsertAdmin(context, admin)
  if (!keyWorks) console.log('Warning: the key in ADMIN_API_KEY was revoked and does not work. Choose another one.')
}

async function listen({ port, host }: Config, { app }: Application): Promise<Stopper> {
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 120_000 }, app.callback())
  const stopper = createStopper(server)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is taken: stop what listens there, or set PORT to another.`
      reject(error.code === 'EADDRINUSE' ? new ConfigError(taken) : error)
    })
    server.listen(port, host, () => resolve(stopper))
  })
}
