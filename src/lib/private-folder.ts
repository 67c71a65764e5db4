import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder that only its owner can list, and its missing parents. If the folder exists, it is not changed. The
 * parents are created separately, because `mkdir` with `recursive` would give them the mode of the folder.
 * @param mode 0o711 also lets other users enter folders below it
 */
export function makePrivateFolder(folder: string, mode: 0o700 | 0o711 = 0o700): void {
  mkdirSync(dirname(resolve(folder)), { recursive: true })
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
