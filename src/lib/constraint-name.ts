/**
 * Returns the name of a violated constraint. On a node of a distributed database, it ends with the number of the shard.
 */
export const constraintName = (error: unknown): string =>
  ((error as { constraint?: string } | undefined)?.constraint ?? '').replace(/_\d{6,}$/, '')
