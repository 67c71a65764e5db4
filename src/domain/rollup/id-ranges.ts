import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { counting, portions, type Row } from './aggregate.ts'
import type { Predicate } from './predicate.ts'

/** A stretch of a survey's responses by id: those after `after`, up to and with `upto`. */
export interface Stretch {
  after: number
  upto: number
}

/** What was found in a stretch. */
export interface Found {
  /** In the order of the slots. */
  counts: number[]
  /** The first and the last moment at which one of its responses was made, and edited, as PostgreSQL writes them; null: none is there. */
  created: Span
  updated: Span
}

export type Span = readonly [first: string | null, last: string | null]

const NONE: Span = [null, null]

/**
 * Counts stretch by stretch, all responses whatever their state; stretches that follow each other are read in one pass.
 * @param stretches in order of id, none over another
 */
export async function countStretches(
  db: Kysely<Tables>,
  surveyId: number,
  stretches: readonly Stretch[],
  predicates: readonly Predicate[],
): Promise<Found[]> {
  const found = stretches.map((): Found => ({ counts: [], created: NONE, updated: NONE }))
  for (const { first, run } of runsOf(stretches))
    for (const some of portions(predicates)) {
      const { from, counts } = counting(some)
      const inner = run.slice(1).map(({ after }) => after + 1)
      const { rows } = await sql<Row & Spans>`
        select width_bucket(response.id, ${inner}::bigint[]) as place, ${SPANS}, ${counts} from response, ${from}
        where response.survey_id = ${surveyId}::bigint
          and response.id > ${run[0]!.after}::bigint and response.id <= ${run.at(-1)!.upto}::bigint
        group by place`.execute(db)
      const byPlace = new Map(rows.map((row) => [row.place, row]))
      for (const place of run.keys()) {
        const row = byPlace.get(place)
        const stretch = found[first + place]!
        stretch.counts.push(...some.map((_, at) => row?.[`c${at}`] ?? 0))
        if (row) Object.assign(stretch, { created: row.created, updated: row.updated })
      }
    }
  return found
}

interface Spans {
  place: number
  created: Span
  updated: Span
}

const SPANS = sql`array[min(response.created_at)::text, max(response.created_at)::text] as created,
  array[min(response.updated_at)::text, max(response.updated_at)::text] as updated`

/** Stretches counted by one statement at most, so that it ends in time also where a survey has many millions. */
const LONGEST_RUN = 100

/** Stretches that follow each other without a gap, together. */
function runsOf(stretches: readonly Stretch[]): { first: number; run: Stretch[] }[] {
  const runs: { first: number; run: Stretch[] }[] = []
  for (const [at, stretch] of stretches.entries()) {
    const last = runs.at(-1)
    if (last && last.run.length < LONGEST_RUN && last.run.at(-1)!.upto === stretch.after) last.run.push(stretch)
    else runs.push({ first: at, run: [stretch] })
  }
  return runs
}
