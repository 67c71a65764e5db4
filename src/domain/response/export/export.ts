import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type CompiledQuery, type Kysely, sql } from 'kysely'
import type { ByteRange } from '../../../lib/http.ts'
import { PROGRAM_VERSION } from '../../../lib/program-version.ts'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { surveyChain } from '../../security/chain.ts'
import { recordOncePerHour } from '../../security/record.ts'
import type { Tables } from '../../tables.ts'
import type { ResponseSearch } from '../list/queries.ts'
import type { ExportFormat, ExportOptions } from './columns.ts'
import type { FileColumn } from './file.ts'
import { type FileSource, measureFile, RowIndex, rowIndexOf, writeFile } from './file.ts'
import { type ExportPlan, planExport } from './plan.ts'
import { type ExportSession, openSession, type Query } from './session.ts'

/** Name and media type of a file. */
export interface ExportFile {
  filename: string
  /** The media type. */
  type: string
  columns: readonly FileColumn[]
}

/** A CSV file as a stream. */
interface Export extends ExportFile {
  /** Starts the query when the stream is read. Destroy the stream if you do not read it. */
  stream: Readable
}

/** A CSV file whose content stays the same while it is open. Call `stream` or `close`. */
interface OpenExport extends ExportFile {
  etag: string
  /** The number of bytes; undefined if it is not known yet. */
  knownLength: number | undefined
  /** Returns the number of responses in the file. Call it after the whole file has been read. */
  rows(): number
  /**
   * Returns the number of bytes. If the number is not known yet, generates the file without sending it, beginning at
   * the last known row boundary.
   * @throws {Problem} `unavailable` if the client disconnects
   */
  length(): Promise<number>
  /** Returns the file or a part of it. Destroy the stream if you do not read it. */
  stream(range?: ByteRange): Readable
  close(): Promise<void>
}

/** Maximum number of times that an export is planned if its survey changes each time. */
const MAX_ATTEMPTS = 5
/**
 * Interval at which the service checks, while it measures the length of a file, whether the client is still connected.
 */
const CHECK_INTERVAL_MS = 250

const MEDIA_TYPES: Partial<Record<ExportFormat, string>> = {
  jsonl: 'application/x-ndjson',
  sav: 'application/octet-stream',
  dta: 'application/octet-stream',
  parquet: 'application/vnd.apache.parquet',
}

const fileOf = ({ snapshot, options, lines: { columns } }: ExportPlan): ExportFile => ({
  filename: `${snapshot.slug}.${options.format}`,
  type: MEDIA_TYPES[options.format] ?? `text/csv; charset=${options.tabSeparated ? 'utf-16le' : 'utf-8'}`,
  columns,
})

/** Records that responses were exported. */
export const recordExport = (context: Context, { snapshot: { id } }: ExportPlan) =>
  recordOncePerHour(context, surveyChain(id), 'exported', { survey: id, by: context.actor.id })

/**
 * Exports the responses to a survey as a CSV file, in order of id. The file shows the state of one moment.
 * @throws {Problem} as {@link planExport}
 */
export async function exportResponses(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  options: ExportOptions,
): Promise<Export> {
  const plan = await planExport(context, surveyId, request, options)
  await recordExport(context, plan)
  const stream = new ExportStream({ ...plan, session: () => openSession(context.services.pool) })
  return { ...fileOf(plan), stream }
}

/**
 * Returns the name and the ETag of an export without exporting anything.
 * @throws {Problem} as {@link planExport}; `unavailable` if the survey changes during each of {@link MAX_ATTEMPTS}
 *   attempts
 */
export async function describeExport(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  options: ExportOptions,
): Promise<ExportFile & { etag: string }> {
  const db = context.em.getKysely<Tables>()
  return planned(context, surveyId, request, options, async (plan) => {
    const { rows } = await db.executeQuery(stateQuery(db, surveyId, plan))
    return describe(plan, rows[0])
  })
}

/**
 * Opens an export that can be read in parts.
 * @throws {Problem} as {@link describeExport}; `too_many_exports`
 */
export function openExport(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  options: ExportOptions,
): Promise<OpenExport> {
  const { pool } = context.services
  return planned(context, surveyId, request, options, async (plan) => {
    await recordExport(context, plan)
    const session = await openSession(pool)
    try {
      const [state] = await session.select<SurveyState>(stateQuery(context.em.getKysely<Tables>(), surveyId, plan))
      const described = describe(plan, state)
      if (!described) {
        await session.finish()
        return undefined
      }
      const index = rowIndexOf(pool, described.etag)
      return {
        ...described,
        knownLength: index.length,
        rows: () => index.rows!,
        length: () => whileConnected(context, session.abort, () => measureFile(session, plan, index)),
        stream: (range) => new ExportStream({ ...plan, session, index, range }),
        close: session.finish,
      }
    } catch (error) {
      session.abort()
      throw error
    }
  })
}

/** Plans an export and runs a function with the plan. If the survey has changed between the two steps, repeats both. */
async function planned<Result>(
  context: Context,
  surveyId: number,
  request: ResponseSearch,
  options: ExportOptions,
  attempt: (plan: ExportPlan) => Promise<Result | undefined>,
): Promise<Result> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const result = await attempt(await planExport(context, surveyId, request, options))
    if (result) return result
  }
  throw problems.unavailable()
}

/** @returns undefined if the survey or its coding no longer has the revision for which the export was planned */
function describe(plan: ExportPlan, state: SurveyState | undefined): (ExportFile & { etag: string }) | undefined {
  if (state?.revision !== plan.snapshot.revision || state.coding !== plan.codingRevision) return undefined
  return { ...fileOf(plan), etag: etagOf(state, { ...plan, rows: plan.rows() }) }
}

/** Runs work that can be aborted. Calls `abort` if the work fails or the client disconnects. */
export async function whileConnected<Result>(
  { isAbandoned = () => false }: Context,
  abort: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => isAbandoned() && abort(), CHECK_INTERVAL_MS)
  try {
    return await work()
  } catch (error) {
    abort()
    throw isAbandoned() ? problems.unavailable() : error
  } finally {
    clearInterval(timer)
  }
}

/** Identifies the state of the data from which the file of an export is generated. */
interface SurveyState {
  revision: number
  /**
   * When the survey was last changed. The revision alone is not sufficient: after a database restore, new changes get
   * the same revisions as lost changes.
   */
  updated: string
  /**
   * Number of the last change of the responses, with its epoch. The number alone is not sufficient: after a database
   * restore, new changes get the same numbers as lost changes, but another epoch (docs/adr/0070).
   */
  change: string
  /** The revision of the coding; only if the file contains it. */
  coding?: number
}

/** Selects the state of a survey by primary keys. */
const stateQuery = (
  db: Kysely<Tables>,
  surveyId: number,
  { codingRevision }: Pick<ExportPlan, 'codingRevision'>,
): CompiledQuery<SurveyState> =>
  db
    .selectFrom('survey')
    .leftJoin('survey_feed as feed', 'feed.survey_id', 'survey.id')
    .leftJoin('response_change as change', (join) =>
      join.onRef('change.survey_id', '=', 'feed.survey_id').onRef('change.seq', '=', 'feed.seq'),
    )
    .where('survey.id', '=', surveyId)
    .select([
      'survey.revision',
      sql<string>`extract(epoch from survey.updated_at)::text`.as('updated'),
      sql<string>`concat_ws('.', feed.seq, change.epoch)`.as('change'),
    ])
    .$if(codingRevision !== undefined, (states) =>
      states
        .leftJoin('response_coding_state as coding', 'coding.survey_id', 'survey.id')
        .select((eb) => eb.fn.coalesce('coding.revision', sql<number>`0`).as('coding')),
    )
    .compile()

/** The inputs of an exported file other than the state of the survey. */
interface FileInputs {
  options: ExportOptions
  /** The query for the rows, with the filters and the conditions that hide columns of anonymous responses. */
  rows: Query
  /** Address of the survey. */
  address: string
}

/** Returns the strong ETag of a file (RFC 9110, 8.8.3): files with the same ETag have the same bytes. */
function etagOf(state: SurveyState, { options, rows: { sql, parameters }, address }: FileInputs): string {
  const inputs = JSON.stringify([PROGRAM_VERSION, state, options, sql, parameters, address])
  return `"${hash('sha256', inputs, 'base64url').slice(0, 27)}"`
}

interface ExportSource extends FileSource {
  /** An open session, or a function that opens one. */
  session: ExportSession | (() => Promise<ExportSession>)
  index?: RowIndex
  /** The part of the file to write. If absent, the whole file is written. */
  range?: ByteRange | undefined
}

/**
 * Writes the file while it is read: rows are queried after the header of the file has been read. Destroying the stream
 * closes the connection to PostgreSQL immediately, for example because its client does not read (`write-deadline.ts`). An error destroys the stream, so that an incomplete file never looks
 * complete.
 */
export class ExportStream extends Readable {
  readonly #blocks: AsyncGenerator<Buffer>
  #session: ExportSession | undefined

  constructor(source: ExportSource) {
    // Nothing is read in advance, so that a client that reads only the header of the file does not start a query.
    super({ highWaterMark: 1 })
    if (typeof source.session !== 'function') this.#session = source.session
    this.#blocks = this.#generate(source)
  }

  override _read(): void {
    this.#blocks.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#session?.abort()
    done(error)
  }

  async *#generate({ session: source, index = new RowIndex(), range, ...file }: ExportSource): AsyncGenerator<Buffer> {
    const session = typeof source === 'function' ? await source() : source
    this.#session = session
    const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY }
    const { length } = index
    /** A part that is sent when the next part proves that the file has not become shorter. */
    let held: Buffer | undefined
    try {
      if (this.destroyed) return
      for await (const { offset, bytes } of writeFile(session, file, index, start)) {
        const part = bytes.subarray(Math.max(start - offset, 0), Math.max(end - offset, 0))
        if (part.length > 0 && range && end === length) {
          if (held) yield held
          held = part
        } else if (part.length > 0) yield part
        // For a range up to the end of the file, reads until the rows end, which proves that the file has the measured
        // length.
        if (offset + bytes.length >= end && end !== length) {
          session.abort()
          return
        }
      }
      if (range && index.length !== length) throw new Error('an export has changed since it was measured')
      if (held) yield held
      await session.finish()
    } finally {
      session.abort()
    }
  }
}
