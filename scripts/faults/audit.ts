import { setTimeout as pause } from 'node:timers/promises'
import { csvRows } from '../../src/lib/csv-rows.ts'
import { send } from './http.ts'
import type { Load } from './load.ts'
import { ask } from './postgres.ts'
import type { Target } from './service.ts'

/** What is wrong after a fault; nothing, as it should be, when all are empty. */
export interface Audit {
  lost: string[]
  doubled: string[]
  /** Where feed, counts, lists or notes differ from what is stored. */
  wrong: string[]
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

/** Holds what the clients know against what is stored, and that against the feed and every count. */
export async function audit(load: Load, { base, auth, target, databaseUrl }: Audited): Promise<Audit> {
  const found: Audit = { lost: [], doubled: [], wrong: [] }
  const rows = await ask<Row>(
    databaseUrl,
    `select id::int, answers->>'marker' as marker, answers->>'note' as note from response where survey_id = $1 order by id`,
    [target.id],
  )
  const get = async (path: string) => {
    const reply = await send(`${base}/api/v3/surveys/${target.id}/${path}`, { auth })
    if (reply.status !== 200) throw new Error(`audit: ${path}: ${reply.status} ${reply.text}`)
    return reply.text
  }
  checkMarkers(load, rows, found)
  await checkFeed(target, databaseUrl, rows, get, found)
  const survey = JSON.parse(await get('')) as { number_of_responses: number }
  const list = JSON.parse(await get('responses/?page_size=1')) as { count: number }
  let csv = -1
  for await (const _ of csvRows(await get('csv/'))) csv += 1
  const counts = { stored: rows.length, survey: survey.number_of_responses, list: list.count, csv }
  if (new Set(Object.values(counts)).size > 1) found.wrong.push(`counts: ${JSON.stringify(counts)}`)
  await checkSessions(databaseUrl, found)
  return found
}

function checkMarkers(load: Load, rows: readonly Row[], found: Audit): void {
  const stored = Map.groupBy(rows, ({ marker }) => marker)
  for (const [marker, same] of stored) {
    if (same.length > 1) found.doubled.push(marker)
    if (!load.written.has(marker)) found.wrong.push(`stored, but never sent: ${marker}`)
  }
  for (const one of load.written.values()) {
    const [row] = stored.get(one.marker) ?? []
    if (!row && one.acknowledged && !one.deleted) found.lost.push(one.marker)
    if (!row) continue
    if (one.deleted === 'acknowledged') found.wrong.push(`deleted, but stored: ${one.marker}`)
    const allowed = new Set([one.note ?? '', ...one.unknownNotes])
    if (!allowed.has(row.note ?? '')) found.lost.push(`note of ${one.marker}: ${row.note} instead of ${one.note}`)
  }
}

/** The feed is gapless, is what the table says, begins each response with its creation and ends it with its deletion. */
async function checkFeed(
  target: Target,
  databaseUrl: string,
  rows: readonly Row[],
  get: (path: string) => Promise<string>,
  found: Audit,
): Promise<void> {
  const history = await ask<{ seq: number; response_id: number; kind: string }>(
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
  if (JSON.stringify(followed) !== JSON.stringify(history)) found.wrong.push('feed: differs from response_change')
  const alive = new Set<number>()
  history.forEach(({ seq, response_id, kind }, index) => {
    if (seq !== index + 1) found.wrong.push(`feed: ${seq} is the change number ${index + 1}`)
    if ((kind === 'created') === alive.has(response_id)) found.wrong.push(`feed: ${kind} ${response_id} at ${seq}`)
    if (kind === 'deleted') alive.delete(response_id)
    else alive.add(response_id)
  })
  if (rows.some(({ id }) => !alive.has(id)) || rows.length !== alive.size)
    found.wrong.push(`feed: ${alive.size} responses are left in it, ${rows.length} are stored`)
}

/** Nobody stays in a transaction. */
async function checkSessions(databaseUrl: string, found: Audit): Promise<void> {
  const idle = () =>
    ask<{ query: string }>(
      databaseUrl,
      `select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
       and state_change < now() - interval '1 second'`,
    )
  for (const deadline = Date.now() + 5_000; (await idle()).length > 0; await pause(200))
    if (Date.now() > deadline) {
      found.wrong.push(`in a transaction: ${(await idle()).map(({ query }) => query.slice(0, 80)).join('; ')}`)
      return
    }
}
