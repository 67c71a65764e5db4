import { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import { type ByteRange, sliceOf } from '../../lib/http.ts'
import type { Slice } from '../../lib/paging.ts'
import type { Context, PublicContext } from '../context.ts'
import { fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { answerTo } from '../structure/answered.ts'
import { fileFields, fileKeysOf } from '../structure/file-answer.ts'
import type { Answers, Field, Questionnaire } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { fileObject, readObject } from './object.ts'
import type { UploadedFile } from './store.ts'

const COLUMNS = ['key', 'question_id', 'name', 'type', 'bytes', 'created_at'] as const

interface Row {
  key: string
  question_id: string
  name: string
  type: string
  bytes: number
  created_at: string
}

const fileOf = ({ key, question_id, name, type, bytes, created_at }: Row): UploadedFile => ({
  key,
  questionId: question_id,
  name,
  type,
  bytes,
  createdAt: new Date(created_at),
})

/** An uploaded file whose content can be read. */
interface StoredFile extends UploadedFile {
  /**
   * Opens the content.
   * @param range the part to read; absent: the whole file
   * @throws {Problem} `file_not_found`; `unavailable` if its bucket fails
   */
  read(range?: ByteRange): Promise<Readable>
}

/**
 * Returns the files with the given keys, by key. Omits a file unless it is part of the stored response `id`, or was
 * uploaded for the response with the key `key` before this response was stored.
 */
export async function findFilesOf(
  { em }: PublicContext,
  { surveyId, key, id }: { surveyId: number; key: Buffer; id: number | undefined },
  keys: readonly string[],
): Promise<Map<string, UploadedFile>> {
  if (keys.length === 0) return new Map()
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('uploaded_file')
    .select(COLUMNS)
    .where('survey_id', '=', surveyId)
    .where('key', 'in', [...keys])
    .where((eb) => eb.or([eb('response_key', '=', key), eb('response_id', '=', id ?? 0)]))
    .execute()
  return new Map(rows.map((row) => [row.key, fileOf(row)]))
}

/**
 * Lists the files of a response.
 * @throws {Problem} `survey_not_found`, `forbidden`, `response_not_found`
 */
export async function listFiles(
  context: Context,
  surveyId: number,
  responseId: number,
  { offset, limit }: Partial<Slice> = {},
): Promise<{ total: number; files: UploadedFile[] }> {
  await findSnapshot(context, surveyId, 'View')
  const db = context.em.getKysely<Tables>()
  const response = await db
    .selectFrom('response')
    .select('id')
    .where('survey_id', '=', surveyId)
    .where('id', '=', responseId)
    .executeTakeFirst()
  if (!response) throw problems.responseNotFound()
  const rows = await db
    .selectFrom('uploaded_file')
    .select(COLUMNS)
    .where('survey_id', '=', surveyId)
    .where('response_id', '=', responseId)
    .orderBy('question_id')
    .orderBy('name')
    .orderBy('key')
    .execute()
  return { total: rows.length, files: rows.slice(offset ?? 0, (offset ?? 0) + (limit ?? rows.length)).map(fileOf) }
}

/**
 * Returns a file of a response.
 * @param responseId absent: the file can belong to any response to the survey
 * @throws {Problem} `survey_not_found`, `forbidden`, `file_not_found`
 */
export async function openFile(
  context: Context,
  surveyId: number,
  key: string,
  responseId?: number,
): Promise<StoredFile> {
  await findSnapshot(context, surveyId, 'View')
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('uploaded_file')
    .select([...COLUMNS, 'store'])
    .where('survey_id', '=', surveyId)
    .where('key', '=', key)
    .where((eb) => (responseId === undefined ? eb('response_id', 'is not', null) : eb('response_id', '=', responseId)))
    .executeTakeFirst()
  if (!row) throw problems.fileNotFound()
  return { ...fileOf(row), read: (range) => readContent(context, surveyId, row, range) }
}

/**
 * Opens the content of a file, or a part of it. Memory does not grow with the file.
 * @throws {Problem} `file_not_found`, `unavailable` if its bucket fails
 */
export async function readContent(
  context: PublicContext,
  surveyId: number,
  { store, ...file }: Pick<UploadedFile, 'key' | 'bytes'> & { store: string | null },
  range: ByteRange = { start: 0, end: file.bytes },
): Promise<Readable> {
  const { em } = context
  if (store === null) return Readable.from(partOf(em, surveyId, file, range), { objectMode: false })
  const bytes = range.end - range.start
  const content = await readObject(
    context,
    store,
    fileObject(surveyId, file.key),
    bytes < file.bytes ? range : undefined,
  )
  // The reply announces the length, whatever the bucket sends.
  return Readable.from(sliceOf(content, { start: 0, end: bytes }), { objectMode: false })
}

/** Reads a part of a file from the database. Skips the chunks before it without reading them. */
async function* partOf(
  em: EntityManager,
  surveyId: number,
  { key, bytes }: Pick<UploadedFile, 'key' | 'bytes'>,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let first = { number: 0, offset: 0 }
  if (start > 0) {
    const { rows } = await sql<typeof first>`select number, start_at as "offset" from (
        select number, (sum(octet_length(content)) over (order by number) - octet_length(content))::bigint as start_at
        from uploaded_file_chunk where survey_id = ${surveyId} and key = ${key}
      ) chunks where start_at <= ${start} order by number desc limit 1`.execute(em.getKysely<Tables>())
    first = rows[0] ?? first
  }
  const { number, offset } = first
  const chunks = chunksOf(em, surveyId, { key, bytes: bytes - offset }, number)
  yield* sliceOf(chunks, { start: start - offset, end: end - offset })
}

/**
 * Reads the content of a file from the database, one chunk at a time.
 * @param first the number of the first chunk to read
 * @throws Error if the file is deleted meanwhile
 */
async function* chunksOf(
  em: EntityManager,
  surveyId: number,
  { key, bytes }: Pick<UploadedFile, 'key' | 'bytes'>,
  first: number,
): AsyncGenerator<Buffer> {
  let remaining = bytes
  for (let number = first; remaining > 0; number += 1) {
    const chunk = await em
      .getKysely<Tables>()
      .selectFrom('uploaded_file_chunk')
      .select('content')
      .where('survey_id', '=', surveyId)
      .where('key', '=', key)
      .where('number', '=', number)
      .executeTakeFirst()
    if (!chunk) throw new Error(`The file ${key} was deleted while it was read.`)
    remaining -= chunk.content.length
    yield chunk.content
  }
}

/**
 * Number of hours after which an unused file is deleted: a day, and one hour more because the time of an upload is
 * truncated to the hour.
 */
const LIFETIME_HOURS = 25
/** Maximum number of files per statement, because the statement also deletes their content. */
const PURGE_BATCH_ROWS = 100

/**
 * Deletes files that no response used in time.
 * @returns the number of deleted files
 */
export async function purgeFiles({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const before = new Date(now.getTime() - LIFETIME_HOURS * 3_600_000)
  for (let total = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from uploaded_file file using (
        select survey_id, key from uploaded_file where response_id is null and created_at < ${before}
        order by created_at limit ${PURGE_BATCH_ROWS}
      ) expired
      where file.survey_id = expired.survey_id and file.key = expired.key and file.response_id is null`.execute(db)
    total += Number(numAffectedRows)
    if (numAffectedRows < PURGE_BATCH_ROWS || signal.aborted) return total
  }
}

/** A response whose answers contain files. */
interface FileOwner {
  surveyId: number
  id: number
  key: Buffer
}

/**
 * Assigns the files in new answers to a response, and deletes the files that its answers no longer contain. If no file
 * changes, runs no statement. Call it in the transaction that stores the answers.
 * @throws {Problem} `survey_error` for a file that does not exist, or that belongs to another question or response
 */
export async function attachFiles(
  db: Kysely<Tables>,
  q: Questionnaire,
  owner: FileOwner,
  before: Answers,
  after: Answers,
): Promise<void> {
  for (const field of fileFields(q)) {
    const [old, current] = [before, after].map((answers) => fileKeysOf(answerTo(answers, field.key)))
    const added = current!.filter((key) => !old!.includes(key))
    const removed = old!.filter((key) => !current!.includes(key))
    if (added.length > 0) await claim(db, field, owner, added)
    if (removed.length > 0)
      await db
        .deleteFrom('uploaded_file')
        .where('survey_id', '=', owner.surveyId)
        .where('response_id', '=', owner.id)
        .where('key', 'in', removed)
        .execute()
  }
}

async function claim(db: Kysely<Tables>, field: Field, { surveyId, id, key }: FileOwner, keys: string[]) {
  const claimed = await db
    .updateTable('uploaded_file')
    .set({ response_id: id, response_key: null })
    .where('survey_id', '=', surveyId)
    .where('key', 'in', keys)
    .where('question_id', '=', field.question.id)
    .where((eb) =>
      eb.or([
        eb('response_id', '=', id),
        eb.and([eb('response_id', 'is', null), eb.or([eb('response_key', 'is', null), eb('response_key', '=', key)])]),
      ]),
    )
    .returning('key')
    .execute()
  if (claimed.length < keys.length) throw problems.invalidAnswers([fieldError(field.key, 'file_not_found')])
}
