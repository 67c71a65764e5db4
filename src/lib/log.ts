import { type Logger, pino } from 'pino'

export type Log = Logger

/** Lines are written together once they are this long, in characters: a write a line costs a busy server a twentieth of its time. */
const PORTION = 32 * 1024
/** A line waits for no longer than this for company, in milliseconds. */
const PATIENCE = 250

/**
 * Standard output, by portions. What pino's own destination does for that measures all that is waiting at each line; here
 * it is given whole portions. Whoever flushes, pino at the end of the process among them, sends what is waiting first.
 */
function standardOutput() {
  const out = pino.destination({ sync: false, minLength: 1, maxWrite: 2 * PORTION, periodicFlush: PATIENCE })
  const [write, flush, flushSync] = [out.write.bind(out), out.flush.bind(out), out.flushSync.bind(out)]
  let waiting = ''
  const pass = () => {
    const portion = waiting
    waiting = ''
    return portion === '' || write(portion)
  }
  out.write = (line) => {
    waiting += line
    return waiting.length < PORTION || pass()
  }
  out.flush = (done) => {
    pass()
    flush(done)
  }
  out.flushSync = () => {
    pass()
    flushSync()
  }
  return out
}

/** One JSON line an event on standard output; secrets never reach a line because only named members are logged. */
export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    standardOutput(),
  )
