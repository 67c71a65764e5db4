import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import type { SurveySnapshot } from '../../src/domain/survey/snapshot.ts'
import { type Downloaded, download } from './download.ts'
import { questions } from './export-sample.ts'
import { storeResponses, surveyWithQuestions } from './exports.ts'
import { type RunningProgram, startProcess } from './process.ts'
import { type Person, useWorld, type World } from './world.ts'

/** A survey with many responses, and two servers on its database. */
export interface LongExport {
  world: World
  ann: Person
  survey: SurveySnapshot
  /** The address of the export. */
  here: string
  /** The address of the same export on a second server, which has not yet written the export file. */
  there: string
  /**
   * Downloads a file from an address as the owner of the survey.
   * @param cut the number of bytes after which the client disconnects
   */
  get(url: string, headers?: Record<string, string>, cut?: number): Promise<Downloaded>
  /** Returns the number of connections that exports of the first server use. */
  busy(): number
  /** @throws Error if an export has not released its connection after five seconds */
  idle(): Promise<void>
}

/**
 * Creates a survey before the tests of a file. Texts have line breaks, quotes, formulas and characters of 1 to 4 bytes.
 */
export function useLongExport(responses: number): LongExport {
  const world = useWorld({ realTime: true })
  let other: RunningProgram
  const long = { world } as LongExport
  long.get = (url, headers = {}, cut) => download(url, { authorization: long.ann.authorization!, ...headers }, cut)
  long.busy = () => world.application.services.pool.totalCount - world.application.services.pool.idleCount
  long.idle = async () => {
    for (const deadline = Date.now() + 5_000; long.busy() > 0; await pause(20))
      if (Date.now() > deadline) throw new Error('an export still has its connection')
  }

  beforeAll(async () => {
    long.ann = await world.person({ username: 'ann' })
    long.survey = await surveyWithQuestions(world, long.ann, 'Long', questions)
    await world.application.services.pool.query(
      `insert into response (survey_id, collector_id, key, answers, created_at, updated_at, completed, referrer)
       select $1, $2, decode(lpad(to_hex(n), 40, '0'), 'hex'), jsonb_strip_nulls(jsonb_build_object(
           'name', repeat('Zoë, "Z" 😀' || n || E'\\n=1+1 ', n % 61),
           'colour', case n % 4 when 3 then null else n % 4 end, 'drinks', case when n % 3 > 0 then jsonb_build_array(1, 0) end,
           'rate_0', n % 2, 'again', n % 2 = 0, 'nps', n % 11)),
         $3::timestamptz + n * interval '1 second', $3, n % 3, case when n % 5 = 0 then repeat('r', n % 97) end
       from generate_series(1, $4::integer) n`,
      [long.survey.id, long.survey.defaultCollector.id, '2026-01-15T12:00:00Z', responses],
    )
    await storeResponses(world, long.survey, [{ answers: { name: 'last' } }])
    other = startProcess(world, 'test/support/second-process.ts')
    await other.waitForOutput('ready')
    const file = `/api/v3/surveys/${long.survey.id}/csv/`
    long.here = `${world.base}${file}`
    long.there = `http://127.0.0.1:${/port (\d+)/.exec(other.output())![1]}${file}`
  }, 60_000)
  afterEach(() => long.idle())
  afterAll(() => other.kill('SIGTERM'))
  return long
}
