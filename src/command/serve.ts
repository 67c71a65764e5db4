import cluster from 'node:cluster'
import { join } from 'node:path'
import { type Application, createApplication } from '../bootstrap.ts'
import { type Config, readConfig } from '../config.ts'
import { Account } from '../domain/account/account.ts'
import { upsertAdmin } from '../domain/account/commands.ts'
import type { PublicContext } from '../domain/context.ts'
import type { Log } from '../lib/log.ts'
import { openUntilSignal } from './database.ts'
import { createDemo } from './demo.ts'
import { releaseMemoryWhenIdle } from './idle-memory.ts'
import { listen } from './listen.ts'
import { createOperations } from './operations.ts'
import { openObservation, Processes, reportReady } from './processes.ts'
import { closeInTime, firstSignal, limitStop, REPLACED, type Stopper, type StopReason } from './stop.ts'

/**
 * `serve`: migrates the database and listens; on SIGINT or SIGTERM, answers the requests in flight and stops. If
 * `PROCESSES` is more than 1, the parent process starts child processes, which answer the requests and run the jobs. It
 * replaces child processes that crash.
 */
export async function run(): Promise<void> {
  const config: Config = readConfig()
  const signalled = firstSignal()
  releaseMemoryWhenIdle()
  const { log, closeTracing } = await openObservation(config)
  const database = await openUntilSignal(config, signalled)
  if (!database) return log.flush(() => process.exit(0))
  let isStarted = true
  try {
    const { processes } = config
    const application = await createApplication({
      config: { ...config, databaseConnections: database.databaseConnections },
      databaseUrl: database.url,
      log,
      clock: () => new Date(),
      strict: false,
      operations: createOperations(),
    })
    try {
      if (cluster.isWorker) await serveAsChild(config, application, signalled, log)
      else if (processes === 1) await serveAlone(config, application, signalled, log)
      else isStarted = await superviseProcesses(processes, config, application, signalled, log)
    } finally {
      await closeInTime(application.close())
    }
  } finally {
    await database.stop()
  }
  await closeInTime(closeTracing())
  log.flush(() => process.exit(isStarted ? 0 : 1))
}

async function serveAlone(
  config: Config,
  application: Application,
  signalled: Promise<StopReason>,
  log: Log,
): Promise<void> {
  await underLock(application, (context) => applyAdminSettings(config, context))
  const stopper = await startServer(config, application, log)
  // `welcome` prints secrets, and only once. The server must listen first: if the port is in use, nothing is printed.
  if (!config.admin) await underLock(application, () => welcome(contextOf(application)))
  const worker = config.worker ? await application.startWorker() : undefined
  announce(config, application)
  const signal = await signalled
  log.info({ signal }, 'stopping')
  const delayMs = stopDelayMs(config, signal)
  limitStop(delayMs)
  application.drain()
  await Promise.all([stopper.stop(delayMs), worker?.stop()])
}

/** Answers requests as one of several child processes, until the parent process stops or replaces this child. */
async function serveAsChild(
  config: Config,
  application: Application,
  signalled: Promise<StopReason>,
  log: Log,
): Promise<void> {
  const stopper = await startServer(config, application, log)
  reportReady()
  const signal = await signalled
  const delayMs = stopDelayMs(config, signal)
  limitStop(delayMs)
  // While one process is being replaced, the server remains ready.
  if (signal !== REPLACED) application.drain()
  await stopper.stop(delayMs)
}

/** @returns false if the first child process exits before it is ready; it has then printed the reason */
async function superviseProcesses(
  count: number,
  config: Config,
  application: Application,
  signalled: Promise<StopReason>,
  log: Log,
): Promise<boolean> {
  await underLock(application, (context) => applyAdminSettings(config, context))
  const processes = new Processes(log)
  if (!(await processes.start(count, config.worker))) return false
  if (!config.admin) await underLock(application, () => welcome(contextOf(application)))
  announce(config, application, ` with ${count} processes`)
  const signal = await signalled
  log.info({ signal }, 'stopping')
  limitStop(stopDelayMs(config, signal))
  await processes.stop(signal as NodeJS.Signals)
  return true
}

function announce(config: Config, { services }: Application, processes = ''): void {
  if (!services.deliversMail) console.log(noMailWarning(config))
  console.log(`Canvass is running at ${config.baseUrl}${processes} (stop with Ctrl-C)`)
}

/**
 * Returns how long the server still accepts requests after the signal, in milliseconds. Only SIGTERM has such a delay:
 * in the other cases, no load balancer has to notice the stop.
 */
const stopDelayMs = ({ stopDelaySeconds }: Config, signal: StopReason): number =>
  signal === 'SIGTERM' ? stopDelaySeconds * 1000 : 0

/** Printed at the start if the server cannot deliver email. */
const noMailWarning = ({ dataDir }: Config): string =>
  `Warning: SMTP_URL is not set. No email is delivered: messages are stored in ${join(dataDir, 'outbox')}, and users cannot reset their passwords. To set a password: canvass password <name>`

const contextOf = ({ orm, services }: Application) => ({ em: orm.em.fork(), now: new Date(), services })

/**
 * Runs a function in a transaction under an advisory lock. The lock ensures that only one of several servers that start
 * at the same time creates the first account.
 */
async function underLock(application: Application, work: (context: PublicContext) => Promise<unknown>): Promise<void> {
  const context = contextOf(application)
  await context.em.transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(hashtext('canvass-first-account'))`)
    await work({ ...context, em })
  })
}

/** Creates or updates the account that the variables `ADMIN_*` define. */
async function applyAdminSettings({ admin }: Config, context: PublicContext): Promise<void> {
  if (!admin) return
  const { keyWorks } = await upsertAdmin(context, admin)
  if (!keyWorks) console.log('Warning: the API key in ADMIN_API_KEY has been revoked. Set ADMIN_API_KEY to a new key.')
}

const startServer = ({ port, host, connectionsPerNetwork }: Config, { app }: Application, log: Log): Promise<Stopper> =>
  listen({ port, host, setting: 'PORT', connectionsPerNetwork, log }, app.callback())

/** Number of responses of the demonstration survey. */
const DEMO_RESPONSES = 40

/**
 * Prints how to start. For an empty database it first creates a demonstration account and prints its credentials and
 * three commands to copy; otherwise it prints the address of the login page.
 */
export async function welcome(context: PublicContext): Promise<void> {
  if (await context.em.count(Account)) {
    console.log(`Sign in: ${context.services.baseUrl}/accounts/login/`)
    if (!(await context.em.count(Account, { isAdministrator: true, disabledAt: null })))
      console.log('No account is an administrator. To make one: canvass users grant <name>')
    return
  }
  const { actor, password, apiKey, surveyId } = await createDemo(context, 'demo', DEMO_RESPONSES, {
    isAdministrator: true,
  })
  const api = `${context.services.baseUrl}/api/v3/surveys/`
  const credentials = `-u ${apiKey}:${password}`
  console.log(`
A demonstration account was created. Its secrets are shown only once:

  username   ${actor.username}
  password   ${password}
  API key    ${apiKey}

Try:

  curl ${credentials} ${api}
  curl ${credentials} "${api}${surveyId}/responses/?include_labels=true&page_size=2"
  curl ${credentials} -d drink=Tea -d words=Hello ${api}${surveyId}/responses/

Sign in: ${context.services.baseUrl}/accounts/login/
Survey page for respondents: ${context.services.baseUrl}/surveys/${actor.username}/how-do-you-take-your-tea/
API reference: ${context.services.baseUrl}/docs/v3/
`)
}
