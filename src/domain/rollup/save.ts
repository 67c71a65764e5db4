import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { Found } from './id-ranges.ts'
import type { Summary } from './state.ts'

/** What was counted and is worth keeping. */
export interface Counted {
  seq: number
  lastId: number
  /** Names of all slots that are counted from now on. */
  slots: readonly string[]
  /** Chunks that are new or were counted again: all slots. */
  whole: readonly ChunkCounts[]
  /** Chunks that stay, with the counts of the slots that came in addition. */
  more: readonly ChunkCounts[]
  /** What was kept before is of no use. */
  anew: boolean
}

export interface ChunkCounts extends Found {
  number: number
  lastId: number
}

/**
 * Keeps sums. They are a gain and no duty: where another has kept newer ones meanwhile, nothing happens.
 * @param before what was kept when the counting began; undefined: nothing
 */
export async function saveRollup(
  { em }: Pick<PublicContext, 'em'>,
  surveyId: number,
  before: Summary | undefined,
  counted: Counted,
): Promise<void> {
  await em.fork().transactional(async (own) => {
    const db = own.getKysely<Tables>()
    if (!(await claim(db, surveyId, before, counted))) return
    const again = counted.whole.map(({ number }) => number)
    if (counted.anew) await db.deleteFrom('response_chunk').where('survey_id', '=', surveyId).execute()
    else if (again.length > 0)
      await sql`delete from response_mark where survey_id = ${surveyId}::bigint and number = any(${again}::integer[])`.execute(
        db,
      )
    await write(db, surveyId, counted.whole, sql`counts = excluded.counts, marked = 0, ${SPANS}`)
    await write(db, surveyId, counted.more, sql`counts = response_chunk.counts || excluded.counts`)
  })
}

/** Moves the summary on, unless somebody else has. */
async function claim(
  db: Kysely<Tables>,
  surveyId: number,
  before: Summary | undefined,
  { seq, lastId, slots }: Counted,
): Promise<boolean> {
  const names = sql<string[]>`${slots}::text[]`
  if (before) {
    const moved = await db
      .updateTable('response_summary')
      .set((eb) => ({ seq, last_id: lastId, slots: names, generation: eb('generation', '+', 1) }))
      .where('survey_id', '=', surveyId)
      .where('generation', '=', before.generation)
      .executeTakeFirstOrThrow()
    return moved.numUpdatedRows > 0n
  }
  // The survey's row is held against being deleted, which would delete the sums as well.
  const made = await sql`insert into response_summary (survey_id, seq, last_id, slots)
    select id, ${seq}::bigint, ${lastId}::bigint, ${names} from survey where id = ${surveyId}::bigint for key share
    on conflict (survey_id) do nothing`.execute(db)
  return (made.numAffectedRows ?? 0n) > 0n
}

const SPANS = sql`first_created = excluded.first_created, last_created = excluded.last_created,
  first_updated = excluded.first_updated, last_updated = excluded.last_updated`

async function write(
  db: Kysely<Tables>,
  surveyId: number,
  chunks: readonly ChunkCounts[],
  changes: ReturnType<typeof sql>,
): Promise<void> {
  if (chunks.length === 0) return
  const numbers = chunks.map(({ number }) => number)
  const ends = chunks.map(({ lastId }) => lastId)
  const counts = chunks.map((chunk) => `{${chunk.counts.join(',')}}`)
  const times = (of: (chunk: ChunkCounts) => string | null) => sql`${chunks.map(of)}::timestamptz[]`
  await sql`insert into response_chunk
      (survey_id, number, last_id, counts, first_created, last_created, first_updated, last_updated)
    select ${surveyId}::bigint, number, last_id, counts::integer[], first_created, last_created, first_updated, last_updated
    from unnest(${numbers}::integer[], ${ends}::bigint[], ${counts}::text[],
      ${times(({ created }) => created[0])}, ${times(({ created }) => created[1])},
      ${times(({ updated }) => updated[0])}, ${times(({ updated }) => updated[1])}
    ) as chunk(number, last_id, counts, first_created, last_created, first_updated, last_updated)
    on conflict (survey_id, number) do update set ${changes}`.execute(db)
}
