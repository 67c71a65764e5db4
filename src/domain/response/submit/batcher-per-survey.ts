import type { Pool } from 'pg'
import type { SubmissionBatcher } from './submission-batcher.ts'

/**
 * Creates a batcher for responses that are distributed over several nodes (src/domain/distributed-tables.ts): each survey has
 * batches of its own, and the batches of several surveys run side by side.
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

/** The sequence of each node has numbers of its own, so the coordinator assigns the ids. */
const NEXT_IDS = `select nextval('response_id_seq') as id from generate_series(1, $1)`

/** Returns a function that takes the ids of responses from the sequence of the coordinator. */
export const idsOfCoordinator =
  (pool: Pool) =>
  async (count: number): Promise<number[]> => {
    const { rows } = await pool.query<{ id: string }>({ name: 'next_ids', text: NEXT_IDS, values: [count] })
    return rows.map(({ id }) => Number(id))
  }
