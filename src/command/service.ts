import { type Application, createApplication } from '../bootstrap.ts'
import { readConfigOfExistingDatabase } from '../config.ts'
import { translate } from '../db/constraints.ts'
import { createLog } from '../lib/log.ts'
import { openExistingDatabase } from './database.ts'

/**
 * Opens the service without listening, for the length of one command. The database has to exist: a command started in
 * the wrong folder must not create a second one.
 * @throws {ConfigError} when there is no database
 * @throws {Problem} for what the caller can mend, for instance a name that is taken
 */
export async function withService<Result>(work: (application: Application) => Promise<Result>): Promise<Result> {
  const config = readConfigOfExistingDatabase()
  const database = await openExistingDatabase(config)
  try {
    const parts = {
      config,
      databaseUrl: database.url,
      log: createLog('silent'),
      clock: () => new Date(),
      strict: false,
    }
    const wired = await createApplication(parts)
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
