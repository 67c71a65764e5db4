import type { Readable } from 'node:stream'
import type { ByteRange } from '../../../lib/byte-range.ts'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import { recordOncePerHour } from '../../security/record.ts'
import type { Tables } from '../../tables.ts'
import type { ResponseSearch } from '../list/queries.ts'
import { etagOf, type SurveyState, stateQuery } from './etag.ts'
import { measureFile } from './file.ts'
import type { FileColumn } from './lines.ts'
import type { ExportOptions } from './options.ts'
import { type ExportPlan, planExport } from './plan.ts'
import { rowIndexOf } from './row-index.ts'
import { openSession } from './session.ts'
import { ExportStream } from './stream.ts'

/** Name and encoding of a CSV file. */
export interface ExportFile {
  filename: string
  charset: 'utf-8' | 'utf-16le'
  columns: readonly FileColumn[]
}

/** A CSV file as a stream. */
export interface Export extends ExportFile {
  /** Starts the query when the stream is read. Destroy the stream if you do not read it. */
  stream: Readable
}

/** A CSV file whose content stays the same while it is open. Call `stream` or `close`. */
export interface OpenExport extends ExportFile {
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

const fileOf = ({ snapshot, options, lines: { columns } }: ExportPlan): ExportFile => ({
  filename: `${snapshot.slug}.${options.sav ? 'sav' : 'csv'}`,
  charset: options.tabSeparated ? 'utf-16le' : 'utf-8',
  columns,
})

const recordExport = (context: Context, { snapshot: { id, ownerId } }: ExportPlan) =>
  recordOncePerHour(context, ownerId, 'exported', { survey: id, by: context.actor.id })

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
    const { rows } = await db.executeQuery(stateQuery(db, surveyId))
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
      const [state] = await session.select<SurveyState>(stateQuery(context.em.getKysely<Tables>(), surveyId))
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

/** @returns undefined if the survey no longer has the revision for which the export was planned */
function describe(plan: ExportPlan, state: SurveyState | undefined): (ExportFile & { etag: string }) | undefined {
  if (state?.revision !== plan.snapshot.revision) return undefined
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
