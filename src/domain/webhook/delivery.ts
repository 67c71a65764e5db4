/** What is remembered of one attempt. */
export interface DeliveryAttempt {
  /** When it began, ISO 8601. */
  at: string
  /** The subscriber's status; absent when there was no answer. */
  status?: number
  /** Why there was no answer, or why the answer does not count. */
  error?: string
  /** The beginning of what the subscriber answered. */
  answer?: string
  /** How long it took. */
  ms: number
}

/**
 * A response at the moment it was completed, as the inserting statement wrote it down: enough to tell of it when the
 * response, or its survey, is no more.
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
