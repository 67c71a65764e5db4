/** One attempt to deliver a message. */
export interface DeliveryAttempt {
  /** The start time, ISO 8601. */
  at: string
  /** The HTTP status; absent if there was no reply. */
  status?: number
  /** The reason why there is no valid reply. */
  error?: string
  /** The beginning of the body of the reply. */
  answer?: string
  /** The duration in milliseconds. */
  ms: number
}

/**
 * The data of a response at the time of its completion. The statement that inserts the delivery stores these data, so
 * that the event can be delivered even if the response or its survey has been deleted.
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
