/**
 * Returns the name of a violated constraint. Removes the shard number that the nodes of a distributed database add to
 * the name.
 */
export const constraintName = (error: unknown): string =>
  ((error as { constraint?: string } | undefined)?.constraint ?? '').replace(/_\d{6,}$/, '')
