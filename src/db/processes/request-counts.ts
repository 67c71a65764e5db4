import { randomUUID } from 'node:crypto'
import type { Db } from 'pg-boss'
import type { RequestCount, RequestLimits } from '../../domain/request-limits.ts'

/** The notification channel. A payload is JSON: the ID of the server and its counts. */
const CHANNEL = 'canvass_requests'
/** Time between exchanges in milliseconds. */
const INTERVAL_MS = 1_000
/** Counts in one notification; PostgreSQL accepts payloads below 8000 bytes. */
const MAX_COUNTS_PER_NOTIFICATION = 75

interface Payload {
  server: string
  counts: RequestCount[]
}

/**
 * Exchanges the counts of API requests with the other servers of a database (PostgreSQL, NOTIFY). Sends one statement
 * per second, or none if there were no requests. Needs no table. If a notification is lost, the other servers accept
 * more requests until the window ends.
 * @param db sends notifications, and provides a connection for the subscription
 */
export async function exchangeRequestCounts(limits: RequestLimits, db: Db): Promise<{ close(): Promise<void> }> {
  if (limits.isOff) return { close: async () => undefined }
  const server = randomUUID()
  const subscription = await db.listen?.(
    CHANNEL,
    (text) => {
      const payload: Payload = JSON.parse(text)
      if (payload.server !== server) limits.addShared(payload.counts)
    },
    () => undefined,
  )
  let sending: Promise<unknown> | undefined

  function send(): void {
    if (sending) return
    const counts = limits.takeUnshared()
    if (!counts.length) return
    const payloads: string[] = []
    for (let start = 0; start < counts.length; start += MAX_COUNTS_PER_NOTIFICATION)
      payloads.push(
        JSON.stringify({ server, counts: counts.slice(start, start + MAX_COUNTS_PER_NOTIFICATION) } satisfies Payload),
      )
    sending = db
      .executeSql('select pg_notify($1, payload) from unnest($2::text[]) as payload', [CHANNEL, payloads])
      // If the database cannot be reached, the requests fail anyway.
      .catch(() => undefined)
      .finally(() => {
        sending = undefined
      })
  }

  const timer = setInterval(send, INTERVAL_MS).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await sending
      await subscription?.close()
    },
  }
}
