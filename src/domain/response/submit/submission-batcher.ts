import type { Pool } from 'pg'
import { problems } from '../../problem.ts'
import { type InsertedRow, outcomesOf, parametersOf } from './batch.ts'
import { INSERT_BATCH } from './insert.sql.ts'

/** The completion of a response: 0 incomplete, 1 complete or quota reached, 2 terminated (docs/specification.md 7.4). */
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
}

/** Inserts responses in batches. */
export interface SubmissionBatcher {
  /**
   * Stores a response durably; resolves after the commit.
   * @param isAbandoned returns whether the client has disconnected: a waiting response is then not stored
   * @returns the id, or `stale` if the survey has another revision: read it and validate again
   * @throws {Error} the database's error if this row violates a constraint; never because of another row of the batch
   * @throws {Problem} `unavailable` if the queue is full or the client has disconnected
   */
  submit(response: NewResponse, isAbandoned?: () => boolean): Promise<number | 'stale'>
  /** Waits for all submitted responses; submit nothing afterwards. */
  close(): Promise<void>
}

interface Waiting {
  response: NewResponse
  isAbandoned: (() => boolean) | undefined
  resolve(outcome: number | 'stale'): void
  reject(error: unknown): void
}

/** Rows of one statement: a few hundred kilobytes at usual sizes. */
const MAX_BATCH_ROWS = 256
/** Responses in the queue: about one second of work. */
const MAX_WAITING_RESPONSES = 8_192
/** Attempts at a batch that conflicts with another transaction. */
const MAX_BATCH_ATTEMPTS = 3
/** SQLSTATEs that the data of a row causes: data exceptions, violated constraints, values too large for an index. */
const ROW_ERROR = /^(22|23|54)/
/** SQLSTATEs of a serialisation failure and a deadlock: a retry of the same statement succeeds. */
const RETRYABLE_ERRORS = new Set(['40001', '40P01'])

/** Rejects a response whose client has disconnected: the client may send it again, and it must not be stored twice. */
function isConnected({ isAbandoned, reject }: Waiting): boolean {
  if (!isAbandoned?.()) return true
  reject(problems.unavailable())
  return false
}

/**
 * Creates a batcher that coalesces concurrent submissions: responses that arrive while a batch commits become the next
 * batch. There is no timer, so a single request does not wait and batches grow with the load.
 */
export function createSubmissionBatcher(pool: Pool): SubmissionBatcher {
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function insert(batch: Waiting[], attempt = 1): Promise<void> {
    const values = parametersOf(batch.map(({ response }) => response))
    try {
      const { rows } = await pool.query<InsertedRow>({ name: 'inbox', text: INSERT_BATCH, values })
      const outcomes = outcomesOf(rows, batch.length)
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index]!)
      })
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (RETRYABLE_ERRORS.has(code) && attempt < MAX_BATCH_ATTEMPTS) return insert(batch, attempt + 1)
      if (ROW_ERROR.test(code) && batch.length > 1) return split(batch)
      for (const { reject } of batch) reject(error)
    }
  }

  /** Isolates the row that causes an error, so that the others are stored. */
  async function split(batch: Waiting[]): Promise<void> {
    const half = batch.length >> 1
    await insert(batch.slice(0, half))
    await insert(batch.slice(half))
  }

  async function drain(): Promise<void> {
    while (waiting.length) {
      const batch = waiting.slice(0, MAX_BATCH_ROWS).filter(isConnected)
      waiting = waiting.slice(MAX_BATCH_ROWS)
      // Awaits in any case: if drain() ended before `running` is assigned, it would never start again.
      await (batch.length > 0 && insert(batch))
    }
    running = undefined
  }

  return {
    submit: (response, isAbandoned) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= MAX_WAITING_RESPONSES) return reject(problems.unavailable())
        waiting.push({ response, isAbandoned, resolve, reject })
        running ??= drain()
      }),
    close: async () => {
      while (running) await running
    },
  }
}
