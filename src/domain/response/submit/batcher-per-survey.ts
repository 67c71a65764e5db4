import type { Pool } from 'pg'
import type { SubmissionBatcher } from './submission-batcher.ts'

/**
 * Creates a batcher for responses that are distributed over several nodes (src/domain/distributed-tables.ts). Each
 * survey has separate batches, and the batches of different surveys are stored in parallel.
 * @param create creates the batcher of one survey
 */
export function createBatcherPerSurvey(create: () => SubmissionBatcher): SubmissionBatcher {
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

/** Returns a function that reads ids for responses from the sequence of the coordinator. */
export const idsOfCoordinator =
  (pool: Pool) =>
  async (count: number): Promise<number[]> => {
    const { rows } = await pool.query<{ id: string }>({ name: 'next_ids', text: NEXT_IDS, values: [count] })
    return rows.map(({ id }) => Number(id))
  }
