import { setTimeout as pause } from 'node:timers/promises'
import { csvRows } from '../../src/lib/csv.ts'
import { send } from './http.ts'
import type { Load } from './load.ts'
import { query } from './postgres.ts'
import type { Target } from './service.ts'

/**
 * Nothing is being stored any more if this number of checks at this interval, in milliseconds, finds no change. It must
 * be the case within the limit.
 */
const UNCHANGED_CHECKS = 10
const CHECK_INTERVAL_MS = 200
const STORING_LIMIT_MS = 60_000

/** The errors found after a fault. */
export interface Audit {
  lost: string[]
  doubled: string[]
  /**
   * Differences of the stored responses from the writes of the clients, from the change feed, from the counts or from
   * the lists. Also database sessions that remain in a transaction.
   */
  inconsistent: string[]
}

interface Row {
  id: number
  marker: string
  note: string | null
}

export interface Audited {
  base: string
  auth: string
  target: Target
  databaseUrl: string
}

/**
 * Compares the writes of the clients with the stored responses, and the stored responses with the feed and all counts.
 */
export async function audit(load: Load, { base, auth, target, databaseUrl }: Audited): Promise<Audit> {
  const result: Audit = { lost: [], doubled: [], inconsistent: [] }
  const get = async (path: string) => {
    const reply = await send(`${base}/api/v3/surveys/${target.id}/${path}`, { auth })
    if (reply.status !== 200) throw new Error(`audit: ${path}: ${reply.status} ${reply.text}`)
    return reply.text
  }
  await untilStored(target, databaseUrl, get, result)
  const rows = await query<Row>(
    databaseUrl,
    `select id::int, answers->>'marker' as marker, answers->>'note' as note from response where survey_id = $1 order by id`,
    [target.id],
  )
  checkMarkers(load, rows, result)
  await checkFeed(target, databaseUrl, rows, get, result)
  const survey = JSON.parse(await get('')) as { number_of_responses: number }
  const list = JSON.parse(await get('responses/?page_size=1')) as { count: number }
  let csv = -1
  for await (const _ of csvRows(await get('csv/'))) csv += 1
  const counts = { stored: rows.length, survey: survey.number_of_responses, list: list.count, csv }
  if (new Set(Object.values(counts)).size > 1) result.inconsistent.push(`counts: ${JSON.stringify(counts)}`)
  await checkSessions(databaseUrl, result)
  return result
}

/**
 * Waits until nothing has changed for some seconds. A server can still be storing submissions whose clients have aborted
 * them, or whose connections have failed.
 */
async function untilStored(
  target: Target,
  databaseUrl: string,
  get: (path: string) => Promise<string>,
  result: Audit,
): Promise<void> {
  let last = -1
  let unchanged = 0
  for (const deadline = Date.now() + STORING_LIMIT_MS; unchanged < UNCHANGED_CHECKS; await pause(CHECK_INTERVAL_MS)) {
    if (Date.now() > deadline) return void result.inconsistent.push('responses are still being stored')
    // The reply shows that the server is not only slow: it has read the requests that arrived earlier.
    await get('')
    const [state] = await query<{ changes: number; active: number }>(
      databaseUrl,
      `select (select count(*)::int from response_change where survey_id = $1) as changes,
         (select count(*)::int from pg_stat_activity where datname = current_database() and state = 'active'
          and backend_type = 'client backend' and pid <> pg_backend_pid()) as active`,
      [target.id],
    )
    unchanged = state!.changes === last && state!.active === 0 ? unchanged + 1 : 0
    last = state!.changes
  }
}

function checkMarkers(load: Load, rows: readonly Row[], result: Audit): void {
  const stored = Map.groupBy(rows, ({ marker }) => marker)
  for (const [marker, duplicates] of stored) {
    if (duplicates.length > 1) result.doubled.push(marker)
    if (!load.written.has(marker)) result.inconsistent.push(`stored, but never sent: ${marker}`)
  }
  for (const write of load.written.values()) {
    const [row] = stored.get(write.marker) ?? []
    if (!row && write.acknowledged && !write.deleted) result.lost.push(write.marker)
    if (!row) continue
    if (write.deleted === 'acknowledged') result.inconsistent.push(`deleted, but stored: ${write.marker}`)
    const allowed = new Set([write.note ?? '', ...write.unknownNotes])
    if (!allowed.has(row.note ?? '')) result.lost.push(`note of ${write.marker}: ${row.note} instead of ${write.note}`)
  }
}

/**
 * Checks that the change feed has no gaps and has the same entries as the table `response_change`. In the feed, a
 * response must first be created, and it can be edited only until it is deleted.
 */
async function checkFeed(
  target: Target,
  databaseUrl: string,
  rows: readonly Row[],
  get: (path: string) => Promise<string>,
  result: Audit,
): Promise<void> {
  const history = await query<{ seq: number; response_id: number; kind: string }>(
    databaseUrl,
    `select seq::int, response_id::int, (array['created', 'edited', 'deleted'])[kind] as kind
     from response_change where survey_id = $1 order by seq`,
    [target.id],
  )
  const followed: typeof history = []
  for (let cursor = '', more = true; more; ) {
    const page = JSON.parse(await get(`responses/changes/?page_size=1000${cursor && `&since=${cursor}`}`))
    for (const { seq, response_id, kind } of page.results) followed.push({ seq, response_id, kind })
    cursor = page.next_cursor
    more = page.more
  }
  if (JSON.stringify(followed) !== JSON.stringify(history))
    result.inconsistent.push('feed: differs from response_change')
  const alive = new Set<number>()
  history.forEach(({ seq, response_id, kind }, index) => {
    if (seq !== index + 1) result.inconsistent.push(`feed: ${seq} is the change number ${index + 1}`)
    if ((kind === 'created') === alive.has(response_id))
      result.inconsistent.push(`feed: ${kind} ${response_id} at ${seq}`)
    if (kind === 'deleted') alive.delete(response_id)
    else alive.add(response_id)
  })
  if (rows.some(({ id }) => !alive.has(id)) || rows.length !== alive.size)
    result.inconsistent.push(`feed: ${alive.size} responses remain in it, ${rows.length} are stored`)
}

/** Checks that no session remains idle in a transaction. */
async function checkSessions(databaseUrl: string, result: Audit): Promise<void> {
  const idle = () =>
    query<{ statement: string }>(
      databaseUrl,
      `select query as statement from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
       and state_change < now() - interval '1 second'`,
    )
  for (const deadline = Date.now() + 5_000; (await idle()).length > 0; await pause(200))
    if (Date.now() > deadline) {
      result.inconsistent.push(
        `in a transaction: ${(await idle()).map(({ statement }) => statement.slice(0, 80)).join('; ')}`,
      )
      return
    }
}
