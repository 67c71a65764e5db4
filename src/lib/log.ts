import { type Logger, pino } from 'pino'

export type Log = Logger

/**
 * Lines are written together once they are this long, in bytes: a write a line costs a busy server a twentieth of its time.
 * Longer portions cost more again, because pino measures all that is waiting at each line.
 */
const BUFFER_BYTES = 8 * 1024
/** A line waits for no longer than this for company, in milliseconds. */
const FLUSH_INTERVAL_MS = 250

/** One JSON line an event on standard output; secrets never reach a line because only named members are logged. */
export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({
      sync: false,
      minLength: BUFFER_BYTES,
      maxWrite: 2 * BUFFER_BYTES,
      periodicFlush: FLUSH_INTERVAL_MS,
    }),
  )
