import type { Pool } from 'pg'
import { outcomesOf, parametersOf, type Stored } from './batch.ts'
import { INSERT_BATCH } from './inbox.sql.ts'

/** 0 incomplete, 1 complete or quota reached, 2 terminated (specification, "Response completion"). */
export type Completion = 0 | 1 | 2

/** A response on its way in: already checked, in the form it is stored. */
export interface Incoming {
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
export interface Inbox {
  /**
   * Stores a response durably; resolves after the commit.
   * @returns its id, or `stale` when the survey has changed since it was read: read it again and check again.
   * @throws the database's error when this very row is refused (a constraint), never because of a neighbour.
   */
  submit(response: Incoming): Promise<number | 'stale'>
  /** Waits for what was handed in; nothing may be submitted afterwards. */
  close(): Promise<void>
}

interface Waiting {
  response: Incoming
  resolve(outcome: number | 'stale'): void
  reject(error: unknown): void
}

/** Most responses in one statement: keeps a statement below a few hundred kilobytes at usual sizes. */
const MOST = 256

/**
 * Coalesces concurrent submissions: what arrives while a batch is committing becomes the next batch. There is no timer,
 * so a lone request waits for nobody and the batch grows with the load (performance.md, "Submitting").
 */
export function createInbox(pool: Pool): Inbox {
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function insert(batch: Waiting[]): Promise<void> {
    const values = parametersOf(batch.map(({ response }) => response))
    try {
      const { rows } = await pool.query<Stored>({ name: 'inbox', text: INSERT_BATCH, values })
      const outcomes = outcomesOf(rows, batch.length)
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index]!)
      })
    } catch (error) {
      await split(batch, error)
    }
  }

  /** One faulty row must not take its neighbours along. */
  async function split(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) return batch[0]!.reject(error)
    const half = batch.length >> 1
    await insert(batch.slice(0, half))
    await insert(batch.slice(half))
  }

  async function drain(): Promise<void> {
    while (waiting.length) {
      const batch = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      await insert(batch)
    }
    running = undefined
  }

  return {
    submit: (response) =>
      new Promise((resolve, reject) => {
        waiting.push({ response, resolve, reject })
        running ??= drain()
      }),
    close: async () => {
      while (running) await running
    },
  }
}
