import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder that only its owner can list, with its missing parents; leaves one that exists as it is. Only the folder
 * itself gets the mode: `recursive` with a mode would close new parents too.
 * @param mode 0o711 lets other accounts pass through to what lies below it
 */
export function makePrivateFolder(folder: string, mode: 0o700 | 0o711 = 0o700): void {
  mkdirSync(dirname(resolve(folder)), { recursive: true })
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
