import type { Pool } from 'pg'
import type { NewResponse, SubmissionBatcher } from './submission-batcher.ts'

/**
 * Creates a batcher for responses that are distributed over several nodes (src/domain/tables.ts). Each
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
