import { type Application, createApplication } from '../bootstrap.ts'
import { readConfigOfExistingDatabase } from '../config.ts'
import { translate } from '../db/constraints.ts'
import { createLog } from '../lib/log.ts'
import { openExistingDatabase } from './database.ts'

/**
 * Runs a command with the services of the application, without a listener. The database must exist: a command started
 * in the wrong folder must not create another database.
 * @throws {ConfigError} when there is no database
 * @throws {Problem} for an error of the caller, such as a username that is taken
 */
export async function withService<Result>(work: (application: Application) => Promise<Result>): Promise<Result> {
  const config = readConfigOfExistingDatabase()
  const database = await openExistingDatabase(config)
  try {
    const options = {
      config,
      databaseUrl: database.url,
      log: createLog('silent'),
      clock: () => new Date(),
      strict: false,
    }
    const application = await createApplication(options)
    try {
      return await work(application)
    } catch (error) {
      throw translate(error) ?? error
    } finally {
      await application.close()
    }
  } finally {
    await database.stop()
  }
}
