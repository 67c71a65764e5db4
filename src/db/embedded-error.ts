/** Why there is no embedded database, in words for whoever runs the server: the message says what to do next. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}
