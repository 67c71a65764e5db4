import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded.ts'

const prefix = 'canvass-test-'

/** A cluster for one Jest run, in the temporary folder; `stop` leaves nothing behind. */
export async function startThrowaway(): Promise<{ url: string; stop(): Promise<void> }> {
  await clearAfterTheDead()
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

/** A temporary folder for a cluster called `pg`; if we are killed, a later run clears it away with what runs there. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `${prefix}${process.pid}-`))
  fs.chmodSync(folder, 0o755)
  return folder
}

/** A run that was killed could not clear up: the folder is named after its process, so the next run knows. */
async function clearAfterTheDead(): Promise<void> {
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
