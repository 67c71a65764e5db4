/** Numbers of messages that are claimed together: at first, and at most. */
const MIN_CLAIMED = 4
const MAX_CLAIMED = 64
/** The number is doubled if a worker begins to send the messages within this time, and halved otherwise. */
const BATCH_MS = 200
/** Time after which messages are claimed again, because their recipients may have changed. */
const MAX_AGE_MS = 2_000

export interface ClaimedQueue<Message> {
  /** Returns the next message to send; undefined if no message is left. */
  next(): Promise<Message | undefined>
  /** Releases the messages that were claimed and not returned. */
  release(): Promise<void>
}

/**
 * Claims messages together, and returns them one by one to several senders.
 * @param claim claims messages and returns those to send; undefined if none was left. The result can be empty.
 * @param release queues messages again
 */
export function createClaimedQueue<Message>(
  claim: (limit: number) => Promise<Message[] | undefined>,
  release: (messages: readonly Message[]) => Promise<void>,
): ClaimedQueue<Message> {
  let claimed: Message[] = []
  let claimedAt = 0
  let limit = MIN_CLAIMED
  let claiming: Promise<boolean> | undefined

  const age = () => performance.now() - claimedAt

  /** @returns whether any message was left */
  async function claimMore(): Promise<boolean> {
    if (claimedAt) limit = age() < BATCH_MS ? Math.min(MAX_CLAIMED, limit * 2) : Math.max(MIN_CLAIMED, limit / 2)
    await releaseAll()
    const more = await claim(limit)
    claimed = more ?? []
    claimedAt = performance.now()
    return more !== undefined
  }

  async function releaseAll(): Promise<void> {
    const old = claimed
    claimed = []
    await release(old)
  }

  return {
    release: releaseAll,
    async next() {
      while (!claimed.length || age() > MAX_AGE_MS) {
        claiming ??= claimMore().finally(() => {
          claiming = undefined
        })
        if (!(await claiming)) return undefined
      }
      return claimed.shift()
    },
  }
}
