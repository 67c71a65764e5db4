import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('../main.mjs', import.meta.url))

/** The beginning of a line about a backup that is stored although something failed. */
export const BACKUP_WARNING = 'Warning: '

/** Maximum output of the command in bytes. */
const MAX_OUTPUT_BYTES = 1024 * 1024

/**
 * Runs `canvass backup` in a separate process, because compression and encryption would delay requests.
 * @param env the environment of the process, with the database
 * @param to a folder, or an S3 prefix such as `s3://bucket/backups/`
 * @param keep number of backups to keep; 0: all
 * @returns the warnings of the command
 * @throws Error with the message of the command
 */
export async function runBackupProcess(
  env: NodeJS.ProcessEnv,
  to: string,
  keep: number,
  signal: AbortSignal,
): Promise<string[]> {
  const args = [program, 'backup', to, ...(keep ? ['--keep', String(keep)] : [])]
  try {
    const { stderr } = await promisify(execFile)(process.execPath, args, { env, signal, maxBuffer: MAX_OUTPUT_BYTES })
    return stderr.split('\n').filter((line) => line.startsWith(BACKUP_WARNING))
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    const lines = stderr.trim().split('\n')
    // An error without an explanation is followed by its stack.
    throw new Error(lines.findLast((line) => /^(Uncaught )?\w*Error\b.*:/.test(line)) ?? (lines.at(-1) || message))
  }
}
