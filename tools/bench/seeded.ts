import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from } from 'pg-copy-streams'
import { createOrm } from '../../src/db/orm.ts'
import { refreshRollups } from '../../src/domain/rollup/refresh.ts'
import { progressBar } from '../../src/lib/terminal.ts'
import { COLUMNS, copyRows, SURVEY } from './sample.ts'
import { createSurvey, startService, temporaryDatabase } from './servers.ts'

/** A database with two copies of a survey. One copy has many responses, the other copy has few. */
export interface Seeded {
  url: string
  large: { id: number; responses: number }
  small: { id: number; responses: number }
  stop(): Promise<void>
}

/** The number of responses of the small survey. */
const SMALL_SURVEY_RESPONSES = 1_000

/** Fills a temporary database through COPY, with a progress bar. */
export async function seededDatabase(responses: number): Promise<Seeded> {
  const database = await temporaryDatabase()
  try {
    const service = await startService(database.url)
    const { id: small } = await createSurvey(service.base, SURVEY)
    const { id: large } = await createSurvey(service.base, SURVEY)
    await service.stop()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      await fill(client, small, SMALL_SURVEY_RESPONSES)
      await fill(client, large, responses)
      await client.query('vacuum analyze response')
    } finally {
      await client.end()
    }
    await refreshRollupsOf(database.url)
    return { ...database, small: { id: small, responses: SMALL_SURVEY_RESPONSES }, large: { id: large, responses } }
  } catch (error) {
    await database.stop()
    throw error
  }
}

/** Refreshes the rollups, as the worker does within a minute. */
export async function refreshRollupsOf(url: string): Promise<void> {
  const orm = createOrm(url)
  await refreshRollups({ em: orm.em.fork() })
  await orm.close()
}

async function fill(client: Client, surveyId: number, count: number): Promise<void> {
  const { rows } = await client.query('select id from collector where survey_id = $1', [surveyId])
  const collector = Number(rows[0].id)
  const copy = client.query(from(`copy response (${COLUMNS}) from stdin`))
  const bar = progressBar('responses', count)
  await pipeline(Readable.from(joinLines(copyRows(surveyId, collector, count), bar)), copy)
  const numbered = 'update survey_feed set responses = $2::integer, last_number = $2::integer where survey_id = $1'
  await client.query(numbered, [surveyId, count])
  await client.query('insert into response_count (survey_id, collector_id, responses) values ($1, $2, $3)', [
    surveyId,
    collector,
    count,
  ])
}

/** Joins lines into chunks of about 64 kB. */
function* joinLines(lines: Iterable<string>, progress: (done: number) => void): Generator<string> {
  let batch = ''
  let done = 0
  for (const line of lines) {
    batch += line
    done += 1
    if (batch.length < 65_536) continue
    yield batch
    batch = ''
    progress(done)
  }
  yield batch
  progress(done)
}
