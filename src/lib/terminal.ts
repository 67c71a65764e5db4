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

/** Shows the progress of a long command: on a terminal one line that is updated, in a log one line for each tenth. */
export function progressBar(
  label: string,
  total: number,
  out: NodeJS.WriteStream = process.stderr,
): (done: number) => void {
  let tenth = -1
  return (done) => {
    const share = total ? done / total : 1
    const text = `${label} ${done.toLocaleString('en')} of ${total.toLocaleString('en')} (${Math.floor(share * 100)} %)`
    if (out.isTTY) out.write(`\r${text}${done >= total ? '\n' : ''}`)
    else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10)
      out.write(`${text}\n`)
    }
  }
}

/** Interval of the updates on a terminal and in a log, in milliseconds. */
const TERMINAL_INTERVAL_MS = 200
const LOG_INTERVAL_MS = 10_000

/**
 * Shows the progress of a command over tables and rows: on a terminal one line that is updated, in a log one line every
 * ten seconds.
 */
export function progressLine(
  label: string,
  out: NodeJS.WriteStream = process.stderr,
): (tables: number, of: number, rows: number) => void {
  let shownAt = 0
  return (tables, of, rows) => {
    const isLast = tables === of
    const now = performance.now()
    if (!isLast && now - shownAt < (out.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS)) return
    shownAt = now
    const text = `${label}: ${tables} of ${of} tables${rows ? `, ${rows.toLocaleString('en')} rows` : ''}`
    out.write(out.isTTY ? `\r\x1b[K${text}${isLast ? '\n' : ''}` : `${text}\n`)
  }
}
