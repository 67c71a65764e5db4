import type { Pool } from 'pg'
import { currentTraceparent, inBatchSpan } from '../../../lib/tracing.ts'
import { problems } from '../../problem.ts'
import { batchStatement } from './batch.ts'
import type { BatchTurns, NewResponse, SubmissionBatcher } from './new-response.ts'

interface QueuedResponse {
  response: NewResponse
  isAbandoned: (() => boolean) | undefined
  queuedAt: number
  /** The span of the request. */
  traceparent: string | undefined
  resolve(outcome: number | 'stale'): void
  reject(error: unknown): void
}

/** Maximum number of rows per statement: a few hundred kilobytes at usual sizes. */
const MAX_BATCH_ROWS = 256
/** Maximum number of queued responses. They take about one second to store. */
const MAX_QUEUED_RESPONSES = 8_192
/** Maximum number of attempts at a batch that conflicts with another transaction. */
const MAX_BATCH_ATTEMPTS = 3
/** SQLSTATEs caused by the data of a row: data exceptions, violated constraints, values too large for an index. */
const ROW_ERROR = /^(22|23|54)/
/** SQLSTATEs of a serialisation failure and a deadlock. A retry of the statement can succeed. */
const RETRYABLE_ERRORS = new Set(['40001', '40P01'])

/**
 * Returns whether the client of a response is still connected. If not, rejects the response: the client can send it
 * again.
 */
function isConnected({ isAbandoned, reject }: QueuedResponse): boolean {
  if (!isAbandoned?.()) return true
  reject(problems.unavailable())
  return false
}

interface BatcherOptions {
  /** Undefined: this process is the only one that stores responses. */
  turns: BatchTurns | undefined
  /** Receives the duration of each batch in milliseconds, from the arrival of its first response. */
  recordBatch(durationMs: number): void
}

/** Creates the batcher of a database; that of a distributed one stores the responses of each survey separately. */
export const createSubmissionBatcher = (
  pool: Pool,
  options: BatcherOptions & { isDistributed: boolean },
): SubmissionBatcher =>
  options.isDistributed
    ? createBatcherPerSurvey(() => createBatcher(pool, options, idsOfCoordinator(pool)))
    : createBatcher(pool, options)

/**
 * Creates a batcher that combines concurrent submissions: responses that arrive while a batch commits become the next
 * batch. There is no timer, so that a single request does not wait and batches grow with the load.
 * @param nextIds returns the ids of responses; absent: the database function `store_batch` assigns the ids
 */
function createBatcher(
  pool: Pool,
  { turns, recordBatch }: BatcherOptions,
  nextIds?: (responses: readonly NewResponse[]) => Promise<number[]>,
): SubmissionBatcher {
  let queue: QueuedResponse[] = []
  let running: Promise<void> | undefined
  /** Number of responses in the last batch. */
  let lastRows = 0

  async function insert(batch: QueuedResponse[], attempt = 1): Promise<void> {
    const responses = batch.map(({ response }) => response)
    try {
      const { outcomesOf, ...statement } = batchStatement(responses, await nextIds?.(responses))
      const { rows } = await pool.query(statement)
      const outcomes = outcomesOf(rows)
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

  /** Stores a batch in parts to find the row that causes an error, so that the other rows are stored. */
  async function split(batch: QueuedResponse[]): Promise<void> {
    const half = batch.length >> 1
    await insert(batch.slice(0, half))
    await insert(batch.slice(half))
  }

  const insertTraced = (batch: QueuedResponse[]): Promise<void> => {
    const requests = batch.map(({ traceparent }) => traceparent)
    return inBatchSpan('store responses', requests, { 'canvass.responses': batch.length }, () => insert(batch))
  }

  /**
   * Waits for the turn of this process. Responses that arrive in the meantime become part of the batch. Does not wait
   * if only one response is queued and the last batch had at most one.
   */
  function takeTurn(): Promise<() => void> | undefined {
    if (lastRows <= 1 && queue.length === 1) return undefined
    return turns?.take(queue.slice(0, MAX_BATCH_ROWS).map(({ response }) => response.surveyId))
  }

  async function drain(): Promise<void> {
    while (queue.length) {
      const endTurn = await takeTurn()
      const { queuedAt } = queue[0]!
      const batch = queue.slice(0, MAX_BATCH_ROWS).filter(isConnected)
      queue = queue.slice(MAX_BATCH_ROWS)
      // `drain()` must not end before `submit` has assigned the promise of `drain()` to `running`. It therefore awaits
      // at least once, even if no response is left to store.
      await (batch.length > 0 && insertTraced(batch))
      endTurn?.()
      lastRows = batch.length
      recordBatch(performance.now() - queuedAt)
    }
    running = undefined
  }

  return {
    submit: (response, isAbandoned) =>
      new Promise((resolve, reject) => {
        if (queue.length >= MAX_QUEUED_RESPONSES) return reject(problems.unavailable())
        const traceparent = currentTraceparent()
        queue.push({ response, isAbandoned, queuedAt: performance.now(), traceparent, resolve, reject })
        running ??= drain()
      }),
    close: async () => {
      while (running) await running
    },
  }
}

/**
 * Creates a batcher for responses that are distributed over several nodes (src/domain/tables.ts). Each
 * survey has separate batches, and the batches of different surveys are stored in parallel.
 * @param create creates the batcher of one survey
 */
function createBatcherPerSurvey(create: () => SubmissionBatcher): SubmissionBatcher {
  const batchers = new Map<number, { batcher: SubmissionBatcher; pending: number }>()
  return {
    async submit(response, isAbandoned) {
      const { surveyId } = response
      const entry = batchers.get(surveyId) ?? { batcher: create(), pending: 0 }
      batchers.set(surveyId, entry)
      entry.pending += 1
      try {
        return await entry.batcher.submit(response, isAbandoned)
      } finally {
        entry.pending -= 1
        if (!entry.pending) batchers.delete(surveyId)
      }
    },
    close: async () => {
      await Promise.all([...batchers.values()].map(({ batcher }) => batcher.close()))
    },
  }
}

/** The coordinator assigns the ids, because each node would otherwise use its own sequence. */
const NEXT_IDS = `select nextval('response_id_seq') as id from generate_series(1, $1)`
const TAKE_RESERVED = 'select unnest(take_response_ids($1, $2)) as id'
const RESERVE = `select add_response_ids($1, array(select nextval('response_id_seq') from generate_series(1, $2)))`
const MIN_RESERVED = 1_000

/** Returns a function that reads ids for responses to one survey from the sequence of the coordinator. */
export const idsOfCoordinator =
  (pool: Pool) =>
  async (responses: readonly NewResponse[]): Promise<number[]> => {
    const [{ surveyId, hasReservedId }] = responses as [NewResponse]
    const query = async (name: string, text: string, values: number[]) => {
      const { rows } = await pool.query<{ id: string }>({ name, text, values })
      return rows.map(({ id }) => Number(id))
    }
    const count = responses.length
    if (!hasReservedId) return query('next_ids', NEXT_IDS, [count])
    const take = () => query('take_response_ids', TAKE_RESERVED, [surveyId, count])
    for (let ids = await take(); ; ids = await take()) {
      if (ids.length === count) return ids
      await query('add_response_ids', RESERVE, [surveyId, Math.max(count, MIN_RESERVED)])
    }
  }
