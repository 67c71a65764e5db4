/**
 * The completion of a response: 0 incomplete, 1 complete or quota reached, 2 terminated (docs/specification.md 7.4).
 */
export type Completion = 0 | 1 | 2

/** A validated response to insert, in its stored form. */
export interface NewResponse {
  surveyId: number
  /** Revision of the survey against which the answers were validated. */
  revision: number
  collectorId: number
  /** 20 random bytes, generated before the insert, so that a repeated insert stores the response once. */
  key: Buffer
  completed: Completion
  /** Answers by response key, as JSON text. */
  answers: string
  createdAt: Date
  /** Time of the last save and of the change in the feed; absent: `createdAt`. */
  updatedAt?: Date
  locale: number | null
  /** In seconds. For the first page of several, the time that the respondent has spent on it. */
  completionTime: number | null
  weightedScore: number | null
  language: string
  username: string
  ipAddress: string
  getVariables: string | null
  referrer: string | null
  pagepath: string | null
  inviteCode: string | null
  inviteEmail: string | null
  inviteName: string | null
  /**
   * The trace span of the request (`traceparent`). The webhook messages about the response belong to the same trace.
   * Absent if the request is not traced or the response is anonymous.
   */
  traceparent?: string | undefined
  /** Whether ids are reserved for the responses of the survey (survey/response-ids.ts). */
  hasReservedId?: boolean | undefined
}

/** Inserts responses in batches. */
export interface SubmissionBatcher {
  /**
   * Stores a response and resolves after the commit.
   * @param isAbandoned returns whether the client has disconnected; in this case, a queued response is not stored
   * @returns the id, or `stale` if the survey has another revision (read the survey and validate the answers again)
   * @throws {Error} the database's error if this row violates a constraint, but not if another row of the batch does
   * @throws {Problem} `unavailable` if the queue is full or the client has disconnected
   */
  submit(response: NewResponse, isAbandoned?: () => boolean): Promise<number | 'stale'>
  /** Waits for all submitted responses. Do not submit responses afterwards. */
  close(): Promise<void>
}

/** Lets processes that store responses to the same survey take turns: only one of them at a time stores a batch. */
export interface BatchTurns {
  /**
   * Waits until no other process stores a batch for these surveys.
   * @returns a function that ends the turn
   */
  take(surveyIds: Iterable<number>): Promise<() => void>
}
