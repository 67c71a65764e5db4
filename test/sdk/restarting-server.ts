import { setTimeout as pause } from 'node:timers/promises'
import { createTestDatabase } from '../support/database.ts'
import { freePort, type RunningProgram, startProgram } from '../support/process.ts'

/** A server that is killed again and again, with one account. */
export interface RestartingServer {
  base: string
  username: string
  password: string
  databaseUrl: string
  /** The number of times that the current or last `killDuring` has killed the server. */
  readonly kills: number
  /**
   * Kills the server with SIGKILL and starts it again, until the work is done, at most ten times. @returns the number
   * of kills
   */
  killDuring(work: Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

/** After this many kills the server is no longer killed, so that the work also ends on a busy machine. */
const MAX_KILLS = 10
/** The server runs for this long between its start and the next SIGKILL. */
const LIFETIMES_MS = [700, 150, 1100, 400, 50, 900]

/** Starts `canvass serve` on its own database. */
export async function startRestartingServer(): Promise<RestartingServer> {
  const database = await createTestDatabase()
  const port = await freePort()
  const [username, password] = ['ann', 'a separate password']
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests, long enough to be one',
    PORT: String(port),
    LOG_LEVEL: 'silent',
    RATE_LIMIT: 'off',
    ADMIN_USERNAME: username,
    ADMIN_EMAIL: 'ann@example.org',
    ADMIN_PASSWORD: password,
    ADMIN_API_KEY: 'a-key-of-more-than-thirty-two-characters',
  }
  const start = async (): Promise<RunningProgram> => {
    const server = startProgram(settings, 'src/main.mjs', 'serve')
    await server.waitForOutput('Canvass is running')
    return server
  }
  let server = await start()
  let kills = 0
  return {
    get kills() {
      return kills
    },
    base: `http://127.0.0.1:${port}`,
    username,
    password,
    databaseUrl: database.url,
    async killDuring(work) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      kills = 0
      for (; !isDone && kills < MAX_KILLS; kills += 1) {
        await Promise.race([pause(LIFETIMES_MS[kills % LIFETIMES_MS.length]), done])
        if (isDone) break
        await server.kill('SIGKILL')
        server = await start()
      }
      await done
      return kills
    },
    async stop() {
      await server.kill('SIGKILL')
      await database.drop()
    },
  }
}
