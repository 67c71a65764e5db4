import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Maximum output of the command in bytes. */
const MAX_OUTPUT_BYTES = 1024 * 1024

/**
 * Runs `canvass backup` in a separate process, because compression and encryption would delay requests.
 * @param env the environment of the process, with the database
 * @param to a folder, or an S3 prefix such as `s3://bucket/backups/`
 * @param keep number of backups to keep; 0: all
 * @throws Error with the message of the command
 */
export async function runBackupProcess(
  env: NodeJS.ProcessEnv,
  to: string,
  keep: number,
  signal: AbortSignal,
): Promise<void> {
  const args = [program, 'backup', to, ...(keep ? ['--keep', String(keep)] : [])]
  try {
    await promisify(execFile)(process.execPath, args, { env, signal, maxBuffer: MAX_OUTPUT_BYTES })
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    const lines = stderr.trim().split('\n')
    throw new Error(lines.at(-1) || message)
  }
}
