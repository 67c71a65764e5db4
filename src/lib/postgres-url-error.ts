/** A connection URL that cannot be used. The message has no subject and no full stop, and does not contain the URL. */
export class PostgresUrlError extends Error {
  override name = 'PostgresUrlError'
}
