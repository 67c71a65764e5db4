import { setTimeout as pause } from 'node:timers/promises'
import { send } from './http.ts'
import { ask, startPostgres } from './postgres.ts'
import type { Options, Result } from './report.ts'
import { type Bench, createTarget, onBench } from './service.ts'

/** Clients that submit to the survey while it is deleted. */
const CLIENTS = 16
/** Every table with rows of responses by survey. */
const TABLES = ['response', 'response_change', 'response_count', 'survey_feed', 'response_quota']

/** Surveys are deleted while responses to them arrive: no row outlives its survey. */
export const deletion = ({ short }: Options): Promise<Result[]> =>
  onBench(async (bench) => {
    const postgres = await startPostgres(bench.folder)
    bench.afterwards(postgres.stop)
    const { base } = await bench.serve({ DATABASE_URL: postgres.url, WORKER: 'off' })
    const rounds = short ? 6 : 40
    const left: string[] = []
    let stored = 0
    for (let round = 0; round < rounds; round += 1) {
      const { id, acknowledged } = await deleteUnderLoad(bench, base, round)
      stored += acknowledged
      for (const table of TABLES) {
        const [row] = await ask<{ rows: number }>(
          postgres.url,
          `select count(*)::int as rows from ${table} where survey_id = $1`,
          [id],
        )
        if (row!.rows > 0) left.push(`survey ${id}: ${row!.rows} rows in ${table}`)
      }
    }
    const problems = left.length ? [`rows left: ${left.slice(0, 5).join('; ')} (${left.length} tables)`] : []
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

/** @returns how many submissions were acknowledged before the survey was gone */
async function deleteUnderLoad(
  { auth }: Bench,
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
  await clients
  return { id, acknowledged }
}
