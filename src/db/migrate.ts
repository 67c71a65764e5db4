import { installJobs } from './jobs.ts'
import { createOrm } from './orm.ts'

/**
 * Brings a database up to the newest schema. Safe to run from several servers at once:
 * a second runner waits for the first (advisory lock), then finds nothing to do.
 * @returns the names of the migrations that ran.
 */
export async function migrate(url: string, onStep: (name: string) => void = () => undefined): Promise<string[]> {
  const orm = await createOrm(url)
  try {
    const lock = orm.em.fork()
    return await lock.transactional(async (em) => {
      await em.execute(`select pg_advisory_xact_lock(hashtext('canvass-migrate'))`)
      orm.migrator.on('migrated', ({ name }) => onStep(name))
      const ran = await orm.migrator.up()
      await installJobs(url)
      return ran.map(({ name }) => name)
    })
  } finally {
    await orm.close(true)
  }
}
