import type { Pool } from 'pg'
import { problems } from '../../problem.ts'
import { outcomesOf, parametersOf, type Stored } from './batch.ts'
import { INSERT_BATCH } from './insert.sql.ts'

/** The completion of a response: 0 incomplete, 1 complete or quota reached, 2 terminated (docs/specification.md 7.4). */
export type Completion = 0 | 1 | 2

/** A response on its way in: already checked, in the form it is stored. */
export interface NewResponse {
  surveyId: number
  /** The survey's revision the answers were checked against; another one means: check again. */
  revision: number
  collectorId: number
  /** 20 random bytes, chosen before the insert: sending the same response twice stores it once. */
  key: Buffer
  completed: Completion
  /** JSON text of the answers by response key. */
  answers: string
  createdAt: Date
  /** When it was last saved, which is when the change feed says that it appeared; absent: when it was created. */
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

/** Where responses are handed in. */
export interface SubmissionBatcher {
  /**
   * Stores a response durably; resolves after the commit.
   * @param isAbandoned says that its sender has left: what still waits then is not stored
   * @returns its id, or `stale` when the survey has changed since it was read: read it again and check again.
   * @throws the database's error when this very row is refused (a constraint), never because of a neighbour's row
   * @throws {Problem} `unavailable` when too much waits already, or its sender has left
   */
  submit(response: NewResponse, isAbandoned?: () => boolean): Promise<number | 'stale'>
  /** Waits for what was handed in; nothing may be submitted afterwards. */
  close(): Promise<void>
}

interface Waiting {
  response: NewResponse
  isAbandoned: (() => boolean) | undefined
  resolve(outcome: number | 'stale'): void
  reject(error: unknown): void
}

/** Responses in one statement: keeps a statement below a few hundred kilobytes at usual sizes. */
const MAX_BATCH_ROWS = 256
/** Responses that may wait for their batch: about a second's work. */
const MAX_WAITING_RESPONSES = 8_192
/** How often a batch is tried that met another transaction. */
const MAX_BATCH_TRIES = 3
/** SQLSTATEs that a row causes by what it holds: data exceptions, broken constraints, values too large for an index. */
const CAUSED_BY_ROW = /^(22|23|54)/
/** SQLSTATEs of a serialisation failure and a deadlock: the same statement succeeds when it is sent again. */
const CAUSED_BY_NEIGHBOUR = new Set(['40001', '40P01'])

/** Whether its sender still waits. One who has left may send it again, and it must not be stored twice. */
function isWanted({ isAbandoned, reject }: Waiting): boolean {
  if (!isAbandoned?.()) return true
  reject(problems.unavailable())
  return false
}

/**
 * Coalesces concurrent submissions: what arrives while a batch is committing becomes the next batch. There is no timer,
 * so a lone request waits for nobody and the batch grows with the load (performance.md, "Submitting").
 */
export function createSubmissionBatcher(pool: Pool): SubmissionBatcher {
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function insert(batch: Waiting[], tries = 1): Promise<void> {
    const values = parametersOf(batch.map(({ response }) => response))
    try {
      const { rows } = await pool.query<Stored>({ name: 'inbox', text: INSERT_BATCH, values })
      const outcomes = outcomesOf(rows, batch.length)
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index]!)
      })
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (CAUSED_BY_NEIGHBOUR.has(code) && tries < MAX_BATCH_TRIES) return insert(batch, tries + 1)
      if (CAUSED_BY_ROW.test(code) && batch.length > 1) return split(batch)
      for (const { reject } of batch) reject(error)
    }
  }

  /** One faulty row must not take its neighbours along. */
  async function split(batch: Waiting[]): Promise<void> {
    const half = batch.length >> 1
    await insert(batch.slice(0, half))
    await insert(batch.slice(half))
  }

  async function drain(): Promise<void> {
    while (waiting.length) {
      const batch = waiting.slice(0, MAX_BATCH_ROWS).filter(isWanted)
      waiting = waiting.slice(MAX_BATCH_ROWS)
      // Awaits in any case: a drain that is over before `running` names it would never be begun again.
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
