import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Finding } from '../../src/lib/finding.ts'
import { type ClusterDatabase, citusNodes, createClusterDatabase, queryNode } from '../support/citus.ts'
import { makeSurvey } from '../support/responses.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'
import { useWorld } from '../support/world.ts'

const SURVEYS = 4

/** Selects, for each survey, the counts in `survey_feed`, and the numbers of rows that these counts should equal. */
const TOTALS = `select survey_id, feed.responses, feed.seq,
    (select count(*) from response where response.survey_id = feed.survey_id)::integer as stored,
    (select count(*) from response_change change where change.survey_id = feed.survey_id)::integer as changes
  from survey_feed feed`

const world = useWorld({ realTime: true })
const folder = temporaryFolder()
const file = path.join(folder, 'canvass.backup')
let restored: ClusterDatabase
let surveys: number[]

const run = (settings: Record<string, string>, ...args: string[]) =>
  runCanvass(
    { DATABASE_URL: world.databaseUrl, SECRET_KEY: world.secretKey, DATA_DIR: world.dataDir, ...settings },
    ...args,
  )

/** Returns the findings of the doctor about the nodes. */
async function diagnose(url: string): Promise<Finding[]> {
  const { output } = await run({ DATABASE_URL: url, BASE_URL: world.base }, 'doctor', '--json')
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  return findings.filter(({ check }) => /^database\.(nodes|citus|recovery|shards|tables|prepared)/.test(check))
}

beforeAll(async () => {
  restored = await createClusterDatabase(process.env.CITUS_URL!)
})
afterAll(async () => {
  await restored.drop()
  rmSync(folder, { recursive: true })
})

describe('canvass backup of a distributed database', () => {
  test('succeeds, and is verified, while responses are stored', async () => {
    const person = await world.person()
    surveys = []
    while (surveys.length < SURVEYS) surveys.push(await makeSurvey(person))
    let isBackingUp = true
    const client = async () => {
      for (let turn = 0; isBackingUp; turn += 1) {
        const survey = surveys[turn % SURVEYS]
        const reply = await person.post(`/api/v3/surveys/${survey}/responses/`, { json: { q3: 'a' } })
        expect(reply.status).toBe(201)
      }
    }
    const backup = run({}, 'backup', file, '--include-secret-key').finally(() => {
      isBackingUp = false
    })
    await Promise.all([...Array.from({ length: 8 }, client), backup])
    expect(await backup).toEqual({ code: 0, output: expect.stringContaining('(verified)') })
  }, 120_000)
})

describe('canvass restore', () => {
  test('restores a consistent copy into an empty database of a cluster, which can then be distributed', async () => {
    const settings = { DATABASE_URL: restored.url }
    const restore = await run(settings, 'restore', file)
    expect(restore).toEqual({ code: 0, output: expect.stringContaining('canvass distribute') })
    expect(await run(settings, 'distribute')).toEqual({ code: 0, output: expect.stringContaining('are distributed') })
    let stored = 0
    for (const survey of surveys) {
      const [row] = await queryNode<Record<'responses' | 'seq' | 'stored' | 'changes', number>>(
        restored.url,
        `${TOTALS} where survey_id = $1`,
        [survey],
      )
      expect({ ...row, seq: Number(row!.seq) }).toMatchObject({
        responses: row!.stored,
        seq: row!.stored,
        changes: row!.stored,
      })
      stored += row!.stored
    }
    expect(stored).toBeGreaterThan(0)
  }, 240_000)

  test('refuses to replace a distributed database, and states what to do', async () => {
    const { code, output } = await run({}, 'restore', file, '--replace')
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/distributed over several nodes.*Create another database/),
    ])
  })
})

describe('canvass doctor', () => {
  const setRecoveryInterval = async (value: string) => {
    await queryNode(world.databaseUrl, `alter system set citus.recover_2pc_interval = '${value}'`)
    await queryNode(world.databaseUrl, 'select pg_reload_conf()')
  }
  const recovery = async () => (await diagnose(world.databaseUrl)).find(({ check }) => check === 'database.recovery')

  test('warns if surveys cannot accept responses for a long time after the failure of a node', async () => {
    await setRecoveryInterval('60s')
    expect(await recovery()).toMatchObject({
      status: 'warning',
      message: 'After a node fails, its surveys can accept no responses for 60 seconds.',
      mend: expect.stringContaining('citus.recover_2pc_interval'),
    })
    await setRecoveryInterval('5s')
    expect(await recovery()).toMatchObject({ status: 'ok' })
  })

  test('finds nothing wrong with a distributed database', async () => {
    const findings = await diagnose(world.databaseUrl)
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['database.nodes', 'ok'],
      ['database.citus', 'ok'],
      ['database.recovery', 'ok'],
      ['database.shards', 'ok'],
      ['database.tables', 'ok'],
    ])
  })

  test('reports tables that are not distributed, shards without a node, and nodes that are not reached', async () => {
    const worker = (await citusNodes(restored.url)).findLast(({ isWorker }) => isWorker)!
    await queryNode(restored.url, `drop table response_progress; create table response_progress (survey_id bigint)`)
    await queryNode(
      restored.url,
      `delete from pg_dist_placement where shardid in (select min(shardid) from pg_dist_shard where logicalrelid = 'response'::regclass)`,
    )
    await queryNode(
      Object.assign(new URL(worker.url), { pathname: '/postgres' }).href,
      `drop database ${new URL(worker.url).pathname.slice(1)} with (force)`,
    )
    const findings = await diagnose(restored.url)
    const errors = findings.filter(({ status }) => status === 'error').map(({ message }) => message)
    expect(errors).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`does not reach ${new URL(worker.url).host}`)),
        'Shards of response that no active node has: 1. Their responses cannot be read.',
        'Not distributed: response_progress.',
      ]),
    )
  })
})
