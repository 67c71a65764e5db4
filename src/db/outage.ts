/**
 * SQLSTATEs that say nothing about what was asked: connection exceptions, resources that ran out, an operator or a crash,
 * a session that was ended, a server that takes no writes, faults of its disk.
 */
const OUTAGE_SQLSTATES = /^(08...|53...|57P0[1-5]|57014|25P0[34]|25006|58...)$/

/** What the operating system says when there is no way to a server. */
const OUTAGE_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** What pg and its pool say, which give these errors no code. */
const DRIVER_ERRORS =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable)/

/** Whether a statement failed because the database cannot be reached, or cannot work: it is worth another try later. */
export function isOutage(error: Error & { code?: string }): boolean {
  const { code, message } = error
  return code ? OUTAGE_SQLSTATES.test(code) || OUTAGE_ERROR_CODES.has(code) : DRIVER_ERRORS.test(message)
}

/** Whether the database has no room left for what is written. */
export const isDiskFull = (error: unknown): boolean => (error as { code?: string } | null)?.code === '53100'
