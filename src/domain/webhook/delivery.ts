/** One attempt to deliver a message. */
export interface DeliveryAttempt {
  /** The start time, ISO 8601. */
  at: string
  /** The HTTP status; absent without a reply. */
  status?: number
  /** The reason why there is no valid reply. */
  error?: string
  /** The beginning of the response body. */
  answer?: string
  /** The duration in milliseconds. */
  ms: number
}

/**
 * A response at its completion, stored by the statement that inserts the delivery, so that the event can be delivered after the
 * response or its survey is deleted.
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
