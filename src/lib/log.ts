import { type Logger, pino } from 'pino'

export type Log = Logger

/**
 * Lines are written together once they are this long, in bytes: a write a line costs a busy server a twentieth of its time.
 * Longer portions cost more again, because pino measures all that is waiting at each line.
 */
const PORTION = 8 * 1024
/** A line waits for no longer than this for company, in milliseconds. */
const PATIENCE = 250

/** One JSON line an event on standard output; secrets never reach a line because only named members are logged. */
export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ sync: false, minLength: PORTION, maxWrite: 2 * PORTION, periodicFlush: PATIENCE }),
  )
