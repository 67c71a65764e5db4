import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Returns the content of a secret file. Creates the file if it does not exist, readable by its owner only. The file is
 * complete when it appears, so that two concurrent processes read the same secret.
 */
export function createSecret(file: string, generate: () => string): string {
  const draft = `${file}.new-${randomBytes(6).toString('hex')}`
  writeFileSync(draft, generate(), { mode: 0o600, flag: 'wx' })
  try {
    publish(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(file, 'utf8')
}

function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some network file systems do not support links.
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
  }
}
