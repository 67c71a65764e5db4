import { setTimeout as pause } from 'node:timers/promises'
import { SURVEY_TABLES } from '../../src/domain/survey/trash.ts'
import { send } from './http.ts'
import { query, startPostgres } from './postgres.ts'
import type { Options, Result } from './report.ts'
import { createTarget, type Environment, inEnvironment } from './service.ts'

/** The number of clients that submit to the survey while it is deleted. */
const CLIENTS = 64

/** Erases surveys while responses to them arrive, and checks that no row remains without its survey. */
export const deletion = ({ short }: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const postgres = await startPostgres(environment.folder)
    environment.onCleanup(postgres.stop)
    const { base } = await environment.serve({ DATABASE_URL: postgres.url, WORKER: 'off' })
    const rounds = short ? 6 : 40
    const remaining: string[] = []
    let stored = 0
    for (let round = 0; round < rounds; round += 1) {
      const { id, acknowledged } = await deleteUnderLoad(environment, base, round)
      stored += acknowledged
      for (const table of SURVEY_TABLES) {
        const [row] = await query<{ rows: number }>(
          postgres.url,
          `select count(*)::int as rows from ${table} where survey_id = $1`,
          [id],
        )
        if (row!.rows > 0) remaining.push(`survey ${id}: ${row!.rows} rows in ${table}`)
      }
    }
    const problems = remaining.length
      ? [`remaining rows: ${remaining.slice(0, 5).join('; ')} (${remaining.length} tables)`]
      : []
    return [
      {
        fault: `survey deleted under load ×${rounds}`,
        writes: `${stored} acknowledged`,
        lost: 0,
        doubled: 0,
        problems,
      },
    ]
  })

/**
 * Deletes a survey while clients submit responses to it.
 * @returns the ID of the survey, and the number of submissions that were acknowledged before the deletion
 */
async function deleteUnderLoad(
  { auth }: Environment,
  base: string,
  round: number,
): Promise<{ id: number; acknowledged: number }> {
  const { id } = await createTarget(base, auth)
  const path = `${base}/api/v3/surveys/${id}/responses/`
  let acknowledged = 0
  const client = async (number: number) => {
    for (let turn = 0; turn < 1_000; turn += 1) {
      const form = { marker: `${round}-${number}-${turn}` }
      const { status } = await send(path, { method: 'POST', auth, form })
      if (status === 404) return
      if (status === 201) acknowledged += 1
      else throw new Error(`a submission to a survey that is being deleted: ${status}`)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  await pause(100 + 5 * round)
  const { status } = await send(`${base}/api/v3/surveys/${id}/`, { method: 'DELETE', auth })
  if (status !== 204 && status !== 200) throw new Error(`the survey is not deleted: ${status}`)
  const erased = await send(`${base}/api/v3/deleted-surveys/${id}/`, { method: 'DELETE', auth })
  if (erased.status !== 204 && erased.status !== 200) throw new Error(`the survey is not erased: ${erased.status}`)
  await clients
  return { id, acknowledged }
}
