import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.ts'
import { type Load, type LoadOptions, startLoad } from './load.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type Options, type Result, resultOf } from './report.ts'
import { createTarget, type Environment, inEnvironment, type Server, type Target } from './service.ts'

/** The programs and the load of one fault. */
export interface Scenario extends Environment {
  options: Options
  postgres: Postgres
  servers: Server[]
  settings: Record<string, string>
  target: Target
  load: Load
}

export interface Setup extends Pick<LoadOptions, 'clients' | 'pauseMs' | 'allowsRejections'> {
  /** The number of servers; default: 1. */
  servers?: number
  settings?: Record<string, string>
  /** Prepares the temporary folder before PostgreSQL starts. */
  prepare?(environment: Environment): Promise<void>
  /** Returns the URL by which the servers connect to PostgreSQL. */
  databaseUrl?(postgres: Postgres, environment: Environment): Promise<string>
}

export interface Outcome {
  /** The name of the fault in the table. */
  fault: string
  /** Recovery times in milliseconds. */
  recoveries: number[]
  problems?: string[]
}

/**
 * Starts servers with a separate PostgreSQL, injects a fault while clients write, and compares all writes with the
 * stored data.
 */
export const runUnderLoad = (
  options: Options,
  { servers: count = 1, settings: own = {}, prepare, databaseUrl, ...loadOptions }: Setup,
  inject: (scenario: Scenario) => Promise<Outcome>,
): Promise<Result> =>
  inEnvironment(async (environment) => {
    await prepare?.(environment)
    const postgres = await startPostgres(environment.folder)
    environment.onCleanup(postgres.stop)
    const url = (await databaseUrl?.(postgres, environment)) ?? postgres.url
    const settings = { DATABASE_URL: url, WORKER: 'off', ...own }
    const servers: Server[] = []
    while (servers.length < count) servers.push(await environment.serve(settings))
    const { auth } = environment
    const base = servers[0]!.base
    const target = await createTarget(base, auth)
    const load = startLoad(
      servers.map((server) => server.base),
      { auth, target, seed: options.seed, minimum: minimumOf(options), ...loadOptions },
    )
    await pause(options.short ? 500 : 2_000)
    const scenario: Scenario = { ...environment, options, postgres, servers, settings, target, load }
    const { fault, recoveries, problems = [] } = await inject(scenario)
    if (recoveries.includes(Number.POSITIVE_INFINITY)) {
      problems.push('down until the servers are restarted')
      for (const server of servers) {
        await server.program.end('SIGKILL')
        server.program = (await environment.serve(settings, server.port)).program
      }
    }
    await load.stop()
    const audited = await audit(load, { base, auth, target, databaseUrl: postgres.url })
    return resultOf(fault, load, audited, { recoveryMs: Math.max(...recoveries), problems, options })
  })

/** Returns the minimum number of requests for each fault. */
export const minimumOf = ({ short }: Pick<Options, 'short'>): number => (short ? 200 : 2_000)
