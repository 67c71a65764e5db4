import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded/embedded.ts'

const prefix = 'canvass-test-'

/** Starts a PostgreSQL server for one Jest run, with its data in a temporary folder. `stop` deletes the folder. */
export async function startTempPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  await removeAbandonedClusters()
  const folder = temporaryFolder()
  const database = await startEmbedded(path.join(folder, 'pg'), { ephemeral: true })
  return {
    url: database.url(),
    async stop() {
      await database.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Creates a temporary folder. The data of a PostgreSQL server must be in its subfolder `pg`: if this process is killed,
 * a later run stops that server and deletes the folder.
 */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `${prefix}${process.pid}-`))
  fs.chmodSync(folder, 0o755)
  return folder
}

/** Deletes the folders of killed runs and stops their servers. The name of a folder contains the process ID. */
async function removeAbandonedClusters(): Promise<void> {
  for (const name of fs.readdirSync(os.tmpdir())) {
    const folder = path.join(os.tmpdir(), name)
    const run = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (!run || isAlive(Number(run)) || fs.lstatSync(folder).uid !== process.getuid?.()) continue
    await removeEmbedded(path.join(folder, 'pg'))
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
