import type { EntityManager } from '@mikro-orm/postgresql'
import { nextTurn } from '../../lib/next-turn.ts'
import type { Context } from '../context.ts'
import { checkName, truncateName } from '../name.ts'
import { problems } from '../problem.ts'
import { buildRow, storeRows, type TableRow } from '../response/import/import.ts'
import { compile } from '../structure/compile.ts'
import { anyChoiceIndex } from '../structure/parse-answer.ts'
import { parseAnswers } from '../structure/parse-answers.ts'
import { titleOf } from '../structure/structure.ts'
import { createSurvey } from '../survey/commands.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Survey } from '../survey/survey.ts'
import type { Tables } from '../tables.ts'
import type { MovedResponse, MovedSurvey } from './convert.ts'
import { readMovedSurvey } from './read.ts'
import { countStored, type ImportRecord, keepUpload, proofsOf, type SurveyImport } from './record.ts'

/** What an upload contains. */
export interface ImportPreview {
  moved: MovedSurvey
  record: ImportRecord
}

/**
 * Reads the survey of another tool with its responses. Stores nothing.
 * @param upload a file, or a ZIP archive with files
 * @throws {Problem} `invalid_import`, `too_many_requests`, `unavailable`
 */
export async function previewImport(context: Context, upload: Buffer): Promise<ImportPreview> {
  const moved = await readMovedSurvey(context, upload)
  return { moved, record: recordOf(moved) }
}

/** Reads an upload as {@link previewImport} does, and keeps it until its owner imports it. */
export async function uploadForImport(
  context: Context,
  upload: Buffer,
  write: <Result>(act: (context: Context) => Promise<Result>) => Promise<Result>,
): Promise<number> {
  const { moved, record } = await previewImport(context, upload)
  return write((within) => keepUpload(within, upload, moved, record))
}

const recordOf = ({ structure, responses, notes, totals }: MovedSurvey): ImportRecord => ({
  title: titleOf(structure),
  responses: responses.length,
  stored: 0,
  notes,
  proofs: proofsOf(totals, new Map(), compile(structure), structure),
})

/** The number of rows that are built before the event loop handles other requests. */
const ROWS_PER_TURN = 200

/** What an import can set. */
interface ImportOptions {
  /** Absent: the title of the survey. */
  name?: string | undefined
  /** The kept upload, whose file is no longer needed. */
  uploadId?: number | undefined
}

/**
 * Reads the survey of another tool, and stores it as {@link storeMovedSurvey} does, in a transaction of its own.
 * @throws {Problem} `invalid_import`, `invalid_request`, `too_many_requests`, `unavailable`
 */
export async function importSurvey(
  context: Context,
  upload: Buffer,
  options: ImportOptions = {},
): Promise<{ survey: Survey; imported: SurveyImport }> {
  const moved = await readMovedSurvey(context, upload)
  return context.em.transactional((em) => storeMovedSurvey({ ...context, em: em as EntityManager }, moved, options))
}

/**
 * Creates a survey from the survey of another tool, and stores its responses. Call it in a transaction. The survey is
 * closed until it is published. The totals of the stored responses are then counted in the database.
 * @throws {Problem} `invalid_request`, `busy`
 */
export async function storeMovedSurvey(
  context: Context,
  moved: MovedSurvey,
  { name, uploadId }: ImportOptions,
): Promise<{ survey: Survey; imported: SurveyImport }> {
  const title = truncateName(titleOf(moved.structure))
  const survey = await createSurvey(context, {
    name: checkName(name ?? (title || moved.format)),
    structure: moved.structure,
    unpublished: true,
  })
  const snapshot = await findSnapshot(context, survey.id, 'Correct')
  const rows: TableRow[] = []
  for (const [index, response] of moved.responses.entries()) {
    rows.push(rowOf(snapshot, response, context.now))
    if (index % ROWS_PER_TURN === 0) await nextTurn()
  }
  if (rows.length > 0 && !(await storeRows(context, snapshot, rows))) throw problems.busy()
  const { questionnaire: q } = snapshot
  const keys = new Map(moved.totals.map(({ key, sum }) => [key, { isSum: sum !== null }]))
  const stored = await countStored(context, survey.id, q, keys)
  const record: ImportRecord = {
    ...recordOf(moved),
    stored: stored.responses,
    proofs: proofsOf(moved.totals, stored.totals, q, moved.structure),
  }
  const db = context.em.getKysely<Tables>()
  if (uploadId !== undefined) await db.deleteFrom('survey_import').where('id', '=', uploadId).execute()
  const { id } = await db
    .insertInto('survey_import')
    .values({
      account_id: context.actor.id,
      survey_id: survey.id,
      format: moved.format,
      record: JSON.stringify(record),
      created_at: context.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return {
    survey,
    imported: { id, surveyId: survey.id, format: moved.format, createdAt: context.now, record },
  }
}

/** Checks the answers of a response as those of a program, and builds the row of the database. */
function rowOf(snapshot: SurveySnapshot, response: MovedResponse, now: Date): TableRow {
  const { completed, createdAt, completionTime, language, row: number } = response
  const { answers, errors } = parseAnswers(snapshot.questionnaire, response.answers, 'strict', {
    lookup: anyChoiceIndex,
    values: 'indices',
  })
  const at = createdAt === undefined ? now : new Date(createdAt)
  const meta = {
    completed,
    createdAt: at,
    updatedAt: at,
    ...(completionTime !== undefined && { completionTime }),
    ...(language !== undefined && { language }),
  }
  const row = buildRow(snapshot, answers, meta, now)
  // The sandbox has parsed the same answers with the same structure.
  if (errors.length > 0 || 'errors' in row) throw new Error(`Response ${number} of an import changed its meaning.`)
  return { number, ...row }
}
