import { type Logger, pino } from 'pino'

export type Log = Logger

/**
 * Size of the buffer. Without it, a busy server would spend a twentieth of its time on writing lines. A larger buffer
 * is slower, because pino measures the whole buffer at each line.
 */
const BUFFER_BYTES = 8 * 1024
/** Maximum time that a line stays in the buffer. */
const FLUSH_INTERVAL_MS = 250

/**
 * Creates a log that writes one JSON line per event to standard output. Callers name each member that they log, so that
 * secrets are not logged.
 * @param commonFields returns the fields to add to each line
 */
export const createLog = (level: string, commonFields?: () => object | undefined): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(commonFields && { mixin: () => commonFields() ?? {} }),
    },
    pino.destination({
      sync: false,
      minLength: BUFFER_BYTES,
      maxWrite: 2 * BUFFER_BYTES,
      periodicFlush: FLUSH_INTERVAL_MS,
    }),
  )
