import { type Logger, pino } from 'pino'

export type Log = Logger

/** One JSON line an event on standard output; secrets never reach a line because only named members are logged. */
export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ sync: false, minLength: 0 }),
  )
