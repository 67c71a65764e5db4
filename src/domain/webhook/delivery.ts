/** One attempt to deliver a message. */
export interface DeliveryAttempt {
  /** The start, ISO 8601. */
  at: string
  /** The HTTP status; absent without a reply. */
  status?: number
  /** Why there was no reply, or why the reply does not count. */
  error?: string
  /** The beginning of the response body. */
  answer?: string
  /** Milliseconds. */
  ms: number
}

/**
 * A response at its completion, as the inserting statement stored it: complete enough to deliver the event after the response or
 * its survey is deleted.
 */
export interface ResponseFacts {
  id: number
  key: string
  score: number | null
  language: string
  referrer: string | null
  invite_email: string | null
  invite_name: string | null
  created_at: string
  updated_at: string
  answers: Record<string, unknown>
  survey_id: number
  survey_name: string
  slug: string
  username: string
  version: number
}
