import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { type CitusNode, citusNodes, queryNode, replaceNode } from '../support/citus.ts'
import { counts, makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const SURVEYS = 6
const MIN_SUBMISSIONS = 2_000
const CLIENTS = 16
const MAX_ATTEMPTS = 60
/** Time limit of each test, in milliseconds. A test moves the shards of all surveys or of one node. */
const LIMIT_MS = 280_000

const STRUCTURE = {
  title: 'Moved',
  form: [
    {
      type: 'page',
      children: [{ idname: 'text-response', id: 'marker', title: 'Marker', children: [{ type: 'string' }] }],
    },
  ],
}

const world = useWorld({ realTime: true })
const onCoordinator = <Row extends object>(statement: string, values?: unknown[]) =>
  queryNode<Row>(world.databaseUrl, statement, values)

const addressOf = ({ url }: CitusNode): [string, number] => [new URL(url).hostname, Number(new URL(url).port)]
const workers = async () => (await citusNodes(world.databaseUrl)).filter(({ isWorker }) => isWorker)

/** The markers of the submissions. A marker is a random answer that identifies a submission. */
interface Submitted {
  /** Markers of acknowledged submissions, by survey ID. */
  acknowledged: Map<number, string[]>
  /** Markers of submissions that failed with 503. Their responses may or may not be stored. */
  unknown: Set<string>
}

/** Submits responses from several clients until the work has ended and MIN_SUBMISSIONS responses were sent. */
async function submitDuring(person: Person, surveys: readonly number[], work: () => Promise<void>): Promise<Submitted> {
  const acknowledged = new Map<number, string[]>(surveys.map((survey) => [survey, []]))
  const unknown = new Set<string>()
  let sent = 0
  let isWorking = true
  async function client(): Promise<void> {
    while (isWorking || sent < MIN_SUBMISSIONS) {
      const survey = surveys[sent % surveys.length]!
      sent += 1
      const marker = randomBytes(12).toString('hex')
      const reply = await person.post(`/api/v3/surveys/${survey}/responses/`, { json: { marker } })
      if (reply.status === 201) acknowledged.get(survey)!.push(marker)
      else {
        // The reply says when the client may repeat the request.
        expect([reply.status, reply.headers.has('retry-after'), reply.text]).toEqual([503, true, expect.anything()])
        unknown.add(marker)
      }
      // A pause, because a shard can only be moved if Citus copies changes faster than they are made.
      await pause(20)
    }
  }
  const working = work().finally(() => {
    isWorking = false
  })
  await Promise.all([working, ...Array.from({ length: CLIENTS }, client)])
  return { acknowledged, unknown }
}

/**
 * Checks that each acknowledged response is stored once, and that the feed and all counts agree with the stored
 * responses.
 */
async function expectAllStored(person: Person, { acknowledged, unknown }: Submitted): Promise<void> {
  for (const [survey, markers] of acknowledged) {
    const rows = await onCoordinator<{ id: string; marker: string }>(
      `select id, answers->>'marker' as marker from response where survey_id = $1`,
      [survey],
    )
    const stored = rows.map(({ marker }) => marker)
    expect(new Set(stored).size).toBe(stored.length)
    expect(markers.filter((marker) => !stored.includes(marker))).toEqual([])
    const known = new Set(markers)
    expect(stored.filter((marker) => !known.has(marker) && !unknown.has(marker))).toEqual([])
    expect(await counts(world, survey)).toEqual({ rows: stored.length, feed: stored.length, collectors: stored.length })
    const feed: { seq: number; response_id: number }[] = []
    for (let cursor = '', more = true; more; ) {
      const { body } = await person.get(`/api/v3/surveys/${survey}/responses/changes/?page_size=1000${cursor}`)
      feed.push(...body.results)
      cursor = `&since=${body.next_cursor}`
      more = body.more
    }
    expect(feed.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
    expect(new Set(feed.map(({ response_id }) => response_id))).toEqual(new Set(rows.map(({ id }) => Number(id))))
  }
}

/**
 * Moves shards. A move fails if queries still lock the old copy of a shard that was moved earlier, because Citus waits
 * only one second for the lock. Such a move is repeated.
 */
async function move(statement: string, values?: unknown[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await onCoordinator(statement, values)
      return
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !/could not be cleaned up/.test((error as Error).message)) throw error
      await pause(500)
    }
}

/** Moves the shard of each survey to another worker. */
async function moveAll(surveys: readonly number[], mode: 'force_logical' | 'block_writes'): Promise<void> {
  for (const survey of surveys) {
    const [shard] = await onCoordinator<{ id: string; host: string; port: number }>(
      `select shardid as id, nodename as host, nodeport as port from pg_dist_shard_placement
        where shardid = get_shard_id_for_distribution_column('response', $1::bigint)`,
      [survey],
    )
    const { id, host, port } = shard!
    const target = (await workers()).map(addressOf).find((address) => address[1] !== port)!
    await move('select citus_move_shard_placement($1, $2, $3, $4, $5, $6)', [id, host, port, ...target, mode])
  }
}

/** Drains a worker, replaces it by an empty worker, and distributes the shards over all workers again. */
async function replaceWorker(): Promise<void> {
  const worker = (await workers()).at(-1)!
  const address = addressOf(worker)
  await move('select citus_drain_node($1, $2)', address)
  await replaceNode(world.databaseUrl, worker)
  await move(`select rebalance_table_shards('response')`)
  const [left] = await onCoordinator<{ shards: number }>(
    `select count(*)::integer as shards from pg_dist_shard_placement
      where nodeport = $1 and shardid in (select shardid from pg_dist_shard where logicalrelid = 'response'::regclass)`,
    [address[1]],
  )
  expect(left!.shards).toBeGreaterThan(0)
}

describe('submissions while shards move', () => {
  const cases: [string, (surveys: readonly number[]) => Promise<void>][] = [
    ['the shards of all surveys are moved by logical replication', (surveys) => moveAll(surveys, 'force_logical')],
    ['the shards of all surveys are moved with blocked writes', (surveys) => moveAll(surveys, 'block_writes')],
    ['a node is drained, replaced and filled again', replaceWorker],
  ]
  test.each(cases)(
    'are stored once each when %s',
    async (_, work) => {
      const person = await world.person()
      const surveys: number[] = []
      while (surveys.length < SURVEYS) surveys.push(await makeSurvey(person, STRUCTURE))
      const submitted = await submitDuring(person, surveys, () => work(surveys))
      await expectAllStored(person, submitted)
    },
    LIMIT_MS,
  )
})
