import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Returns the content of a secret's file, which is created (readable by its owner only) unless it exists. It appears with its
 * content in it, so of two processes at once one writes, and both read the same.
 */
export function createSecret(file: string, draw: () => string): string {
  const draft = `${file}.new-${randomBytes(6).toString('hex')}`
  writeFileSync(draft, draw(), { mode: 0o600, flag: 'wx' })
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
    // Some network file systems have no links.
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
  }
}
