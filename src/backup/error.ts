/** A backup or restore that cannot continue. The message states what to do. */
export class BackupError extends Error {
  override name = 'BackupError'
}
