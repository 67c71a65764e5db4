import { listBackups, openLocation } from '../backup/store.ts'
import { describeConfig, inspectConfig } from '../config.ts'
import type { Operations } from '../domain/services.ts'
import type { Finding } from '../lib/finding.ts'

/** Maximum number of backups in a list. */
const MAX_LISTED_BACKUPS = 100

/**
 * Returns what the administration in the browser shares with the commands `config`, `doctor` and `backup`.
 * @param env the environment; undefined: that of the process
 */
export function createOperations(env?: NodeJS.ProcessEnv): Operations {
  const { backups, files } = inspectConfig(env).config
  let checking: Promise<Finding[]> | undefined
  return {
    startedAt: new Date(),
    describeSettings: () => describeConfig(env),
    // Requests at the same time share one run.
    async inspect() {
      checking ??= import('./doctor.ts')
        .then(({ inspectInstallation }) => inspectInstallation(env))
        .finally(() => {
          checking = undefined
        })
      return checking
    },
    backups: backups && {
      ...backups,
      async list() {
        const { store } = await openLocation(backups.to, new Date(0), files.s3)
        return (await listBackups(store)).reverse().slice(0, MAX_LISTED_BACKUPS)
      },
    },
  }
}
