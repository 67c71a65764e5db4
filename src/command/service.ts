import { readConfig } from '../config.ts'
import { translate } from '../db/constraints.ts'
import { createLog } from '../lib/log.ts'
import { type Wired, wire } from '../wire.ts'
import { openDatabase } from './database.ts'

/**
 * Opens the service without listening, for the length of one command.
 * @throws {Problem} for what the caller can mend, a name that is taken for instance
 */
export async function withService<Result>(work: (wired: Wired) => Promise<Result>): Promise<Result> {
  const config = readConfig()
  const database = await openDatabase(config)
  try {
    const parts = {
      config,
      databaseUrl: database.url,
      log: createLog('silent'),
      clock: () => new Date(),
      strict: false,
    }
    const wired = await wire(parts)
    try {
      return await work(wired)
    } catch (error) {
      throw translate(error) ?? error
    } finally {
      await wired.close()
    }
  } finally {
    await database.stop()
  }
}
