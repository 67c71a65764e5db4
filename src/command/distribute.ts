import { ConfigError, readBackupSettings } from '../config.ts'
import { DistributionError, distribute, undistribute } from '../db/citus/distribute.ts'
import { migrate } from '../db/migrate.ts'
import { openExternal } from './database.ts'

/**
 * `distribute`: distributes the tables of responses over the nodes of a Citus cluster. With `--undo`, moves them back.
 */
export async function run({ undo }: { undo?: boolean }): Promise<void> {
  const { databaseUrl } = readBackupSettings()
  if (!databaseUrl)
    throw new ConfigError(
      'DATABASE_URL is not set, and the embedded PostgreSQL is one node. Set DATABASE_URL to the coordinator of a Citus cluster.',
    )
  const log = (line: string) => console.log(line)
  await openExternal(databaseUrl, 'must exist')
  await migrate(databaseUrl, { log })
  try {
    const changed = await (undo ? undistribute : distribute)(databaseUrl, log)
    if (undo)
      console.log(changed ? 'All rows are on the coordinator. Start the servers.' : 'The database is not distributed.')
    else
      console.log(
        changed ? 'The responses are distributed. Start the servers.' : 'The database is distributed already.',
      )
  } catch (error) {
    if (error instanceof DistributionError) throw new ConfigError(error.message)
    throw error
  }
}
