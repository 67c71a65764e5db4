import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { ConfigError } from './settings.ts'

/**
 * Asks for a passphrase on the terminal, without showing it.
 * @throws {ConfigError} when there is no terminal
 */
export async function askPassphrase(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new ConfigError('Set BACKUP_PASSPHRASE to the passphrase of the backup.')
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const input = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await input.question('')
  } finally {
    input.close()
    process.stderr.write('\n')
  }
}
