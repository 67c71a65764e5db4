/** An error of the embedded database for the operator; the message says what to do next. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}
