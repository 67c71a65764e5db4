import { nextTurn } from '../../lib/next-turn.ts'
import type { Context, PublicContext } from '../context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import { problems } from '../problem.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { fromStored } from '../structure/stored.ts'
import { findSurvey } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { defaultLanguageOf, labelsOf, type MovedSurvey, titleOfField } from './convert.ts'
import type { Note } from './notes.ts'
import type { FormatName } from './source.ts'
import { addAnswer, type NewTotals, type OldTotals, type Proof, proofOf } from './totals.ts'

/** What is kept of an import with the survey. */
export interface ImportRecord {
  title: string
  /** The number of responses in the files. */
  responses: number
  /** The number of responses that were stored; 0 before the import. */
  stored: number
  notes: Note[]
  /** The totals of each response key; before the import, only the old ones. */
  proofs: Proof[]
}

/** An import with the tool from which the survey came. */
export interface SurveyImport {
  id: number
  surveyId: number | null
  format: FormatName
  createdAt: Date
  record: ImportRecord
}

const BATCH = 1_000

/**
 * Counts the stored responses of a survey: what an export of the survey would contain.
 * @param keys the response keys, with whether their answers are numbers that are added up
 */
export async function countStored(
  { em }: Pick<Context, 'em'>,
  surveyId: number,
  q: Questionnaire,
  keys: ReadonlyMap<string, { isSum: boolean }>,
): Promise<{ responses: number; totals: ReadonlyMap<string, NewTotals> }> {
  const totals = new Map(
    [...keys].map(([key, { isSum }]): [string, NewTotals] => [
      key,
      { answered: 0, sum: isSum ? 0 : null, choices: new Map() },
    ]),
  )
  const db = em.getKysely<Tables>()
  let responses = 0
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('response')
      .select(['id', 'answers'])
      .where('survey_id', '=', surveyId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    for (const { answers } of rows)
      for (const [key, answer] of Object.entries(fromStored(q, answers as Answers))) {
        const counted = totals.get(key)
        if (counted) addAnswer(counted, answer)
      }
    responses += rows.length
    if (rows.length < BATCH) return { responses, totals }
    after = rows.at(-1)!.id
    await nextTurn()
  }
}

/** Returns the proof of each response key, in the order of the survey. */
export function proofsOf(
  old: readonly OldTotals[],
  totals: ReadonlyMap<string, NewTotals>,
  q: Questionnaire,
  structure: MovedSurvey['structure'],
): Proof[] {
  const language = defaultLanguageOf(structure)
  return old.map((one) => {
    const field = q.byKey.get(one.key)
    const stored = totals.get(one.key) ?? { answered: 0, sum: one.sum === null ? null : 0, choices: new Map() }
    return proofOf(
      one,
      stored,
      field ? titleOfField(field, language) : one.column,
      field ? labelsOf(field, language) : new Map(),
    )
  })
}

const selection = ['id', 'survey_id', 'format', 'record', 'created_at'] as const

type ImportRow = Pick<SurveyImportRow, (typeof selection)[number]>
interface SurveyImportRow {
  id: number
  survey_id: number | null
  format: FormatName
  record: ImportRecord
  created_at: string
}

const importOf = ({ id, survey_id, format, record, created_at }: ImportRow): SurveyImport => ({
  id,
  surveyId: survey_id,
  format,
  record,
  createdAt: new Date(created_at),
})

/**
 * Returns how a survey was imported from another tool.
 * @throws {Problem} `survey_not_found`, `forbidden`, `import_not_found` if it was not imported
 */
export async function findImport(context: Context, surveyId: number): Promise<SurveyImport> {
  await findSurvey(context, surveyId, 'Correct')
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('survey_import')
    .select(selection)
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  if (!row) throw problems.importNotFound()
  return importOf(row as ImportRow)
}

/** Returns whether a survey was imported from another tool. Checks no permission. */
export async function wasImported({ em }: Pick<Context, 'em'>, surveyId: number): Promise<boolean> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('survey_import')
    .select('id')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  return row !== undefined
}

/** How long an upload is kept that its owner does not import. */
const PENDING_MS = 24 * 60 * 60 * 1000
/** Maximum number of uploads of an account that are kept. */
const MAX_PENDING = 3

/** Keeps an upload until its owner imports it, at most a day. The oldest uploads of the account are replaced. */
export async function keepUpload(
  { em, actor, now }: Context,
  file: Buffer,
  { format }: Pick<MovedSurvey, 'format'>,
  record: ImportRecord,
): Promise<number> {
  const db = em.getKysely<Tables>()
  const { id } = await db
    .insertInto('survey_import')
    .values({ account_id: actor.id, format, file, record: JSON.stringify(record), created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const newest = db
    .selectFrom('survey_import')
    .select('id')
    .where('account_id', '=', actor.id)
    .where('survey_id', 'is', null)
    .orderBy('id', 'desc')
    .limit(MAX_PENDING)
  await db
    .deleteFrom('survey_import')
    .where('account_id', '=', actor.id)
    .where('survey_id', 'is', null)
    .where('id', 'not in', newest)
    .execute()
  return id
}

/** @throws {Problem} `import_not_found` if the account has no such upload */
export async function findUpload(context: Context, id: number): Promise<SurveyImport & { file: Buffer }> {
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('survey_import')
    .select([...selection, 'file'])
    .where('id', '=', id)
    .where('account_id', '=', context.actor.id)
    .where('survey_id', 'is', null)
    .executeTakeFirst()
  if (!row?.file) throw problems.importNotFound()
  return { ...importOf(row as ImportRow), file: row.file }
}

/** Deletes uploads that nobody imported. @returns the number of deleted rows */
export async function purgeUploads({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const expired = db
    .selectFrom('survey_import')
    .select('id')
    .where('survey_id', 'is', null)
    .where('created_at', '<=', new Date(now.getTime() - PENDING_MS).toISOString())
    .orderBy('id')
    .limit(DELETE_BATCH_ROWS)
  const deletion = db.deleteFrom('survey_import').where('id', '=', anyOfRows(expired))
  return deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
}
