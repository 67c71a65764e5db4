/**
 * SQLSTATEs of outages: connection errors, exhausted resources, operator intervention, a crash, a terminated session, a
 * read-only server, disk errors.
 */
const OUTAGE_SQLSTATES = /^(08...|53...|57P0[1-5]|57014|25P0[34]|25006|58...)$/

/** Error codes of the operating system for an unreachable server. */
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

/** Messages of pg and its pool, which have no error code. */
const DRIVER_ERRORS =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable)/

/**
 * Returns whether a statement failed because the database is unreachable or unable to work. A retry may then succeed.
 */
export function isOutage(error: Error & { code?: string }): boolean {
  const { code, message } = error
  return code ? OUTAGE_SQLSTATES.test(code) || OUTAGE_ERROR_CODES.has(code) : DRIVER_ERRORS.test(message)
}

/** Returns whether the disk of the database is full. */
export const isDiskFull = (error: unknown): boolean => (error as { code?: string } | null)?.code === '53100'
