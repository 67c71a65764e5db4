/** A request to a bucket that failed. The message states what to do. */
export class BucketError extends Error {
  override name = 'BucketError'
  /** Whether the object does not exist. */
  readonly isMissing: boolean

  constructor(message: string, isMissing = false) {
    super(message)
    this.isMissing = isMissing
  }
}
