import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { problems } from '../../problem.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { findSnapshot } from '../../survey/queries.ts'
import { remember } from '../../survey/remembered.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { noteChange } from '../edit/coding-change.ts'
import { type CodingScope, checkCategories, codingRevision, scopeOf } from './categories.ts'

/**
 * Number of responses that one request searches at most. A page can therefore have fewer answers than its size, or none,
 * and still a cursor; every page takes the same time, however many responses the survey has.
 */
export const SEARCHED_RESPONSES = 10_000
/** Number of responses that a count searches at most. */
export const COUNTED_RESPONSES = 100_000

/** Conditions on the text answers to list. An answer must meet all of them. */
export interface AnswerSearch {
  /** Response key, ID or identifier of a question; absent: all questions. */
  question?: string | undefined
  /** Part of the text, regardless of case. */
  contains?: string | undefined
  /** ID of a category that contains the answer. */
  category?: number | undefined
  /** `none`: in no category, because none fits. `changed`: the text was changed after it was coded. */
  coded?: 'yes' | 'no' | 'none' | 'changed' | undefined
}

/** A text answer with its categories. */
export interface CodedAnswer {
  responseId: number
  /** The number of the response on pages. */
  responseNumber: number
  field: Field
  language: string
  text: string
  /** Places of the searched text, as UTF-16 offsets. */
  highlights: { start: number; end: number }[]
  /** IDs of the categories. */
  categories: number[]
  /** Whether a coder found that no category fits. */
  none: boolean
  /** Whether the text was changed after it was coded. */
  changed: boolean
}

export interface AnswerPage {
  snapshot: SurveySnapshot
  scope: CodingScope
  answers: CodedAnswer[]
  /** Cursor of the next page; null: all responses were searched. */
  cursor: string | null
}

const isCodable = ({ type, part }: Field): boolean => (type === 'string' || type === 'other') && !part

/** Returns the fields whose answers are texts that can be coded. */
export const codableFields = ({ fields }: Questionnaire): Field[] => fields.filter(isCodable)

/**
 * Returns the codable fields of a question.
 * @param name response key, ID or identifier; absent: all codable fields
 * @throws {Problem} `invalid_request`
 */
export function fieldsNamed(q: Questionnaire, name: string | undefined): Field[] {
  if (name === undefined) return codableFields(q)
  const field = q.byKey.get(name)
  const own = field && isCodable(field) ? [field] : []
  const fields = own.length > 0 ? own : ((q.byId.get(name) ?? q.byIdentifier.get(name))?.fields.filter(isCodable) ?? [])
  if (fields.length === 0) throw problems.invalidField('question', 'unknown_question', { value: name })
  return fields
}

/** The place after which a page begins: a response and the position of a field, from 1. */
interface Cursor {
  id: number
  position: number
}

const FIRST: Cursor = { id: Number.MAX_SAFE_INTEGER, position: 0 }

function parseCursor(text: string | undefined): Cursor {
  if (text === undefined) return FIRST
  const [, id, position] = /^(\d{1,15})\.(\d{1,6})$/.exec(text) ?? []
  if (id === undefined) throw problems.invalidField('cursor', 'invalid_cursor')
  return { id: Number(id), position: Number(position) }
}

const printCursor = ({ id, position }: Cursor): string => `${id}.${position}`

/**
 * Lists text answers with their categories, those of the newest responses first.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function listAnswers(
  context: Context,
  surveyId: number,
  search: AnswerSearch,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<AnswerPage> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const fields = fieldsNamed(snapshot.questionnaire, search.question)
  const after = parseCursor(cursor)
  const scope = await scopeOf(context, surveyId)
  const db = context.em.getKysely<Tables>()
  if (fields.length === 0) return { snapshot, scope, answers: [], cursor: null }
  // Nearly every coding of a category is an answer of the list, so a page needs few of them.
  const isDense = search.category !== undefined && search.contains === undefined && search.coded === undefined
  const searched = isDense ? limit + fields.length : SEARCHED_RESPONSES
  const bound = await boundOf(db, surveyId, scope, search, after.id, searched)
  // With a category, the order of its index is that of the list.
  const id = search.category === undefined ? sql`response.id` : sql`coding.response_id`
  const { rows } = await sql<AnswerRow>`
    select response.id, response.number, response.language, field.position, response.answers ->> field.key as text
    ${answersFrom(surveyId, scope, search, fields)}
      and ${id} > ${bound ?? 0} and ${id} <= ${after.id}
      and (${id} < ${after.id} or field.position > ${after.position})
    order by ${id} desc, field.position limit ${limit}`.execute(db)
  const last = rows.at(-1)
  const next =
    rows.length === limit && last ? printCursor(last) : bound === null ? null : printCursor({ id: bound, position: 0 })
  return { snapshot, scope, answers: await withCategories(db, surveyId, scope, search, fields, rows), cursor: next }
}

interface AnswerRow {
  id: number
  number: number
  language: string
  position: number
  text: string
}

/**
 * Returns the id at which a search ends that begins below an id; null: it reaches the oldest response. The response with
 * this id is searched by the next request.
 */
async function boundOf(
  db: Kysely<Tables>,
  surveyId: number,
  scope: CodingScope,
  { category }: AnswerSearch,
  from: number,
  searched: number,
): Promise<number | null> {
  const ids =
    category === undefined
      ? sql`select id from response where survey_id = ${surveyId} and id <= ${from} order by id desc`
      : sql`select response_id as id from response_coding where survey_id = ${surveyId}
          and round_id = ${scope.round_id} and coder_id = ${scope.coder_id} and category_id = ${category}
          and response_id <= ${from} order by response_id desc`
  const { rows } = await sql<{ id: number }>`${ids} limit 1 offset ${searched}`.execute(db)
  const [row] = rows
  // A cursor `<id>.0` begins with this response again.
  return row && row.id < from ? row.id : null
}

/** Builds `from` and `where` of a query on the text answers that meet the conditions. */
function answersFrom(
  surveyId: number,
  scope: CodingScope,
  { contains, category, coded }: AnswerSearch,
  fields: readonly Field[],
): RawBuilder<unknown> {
  const keys = sql`${fields.map(({ storedKey }) => storedKey)}::text[]`
  const own = sql`coding.survey_id = ${surveyId} and coding.round_id = ${scope.round_id} and coding.coder_id = ${scope.coder_id}`
  const text = sql`response.answers ->> field.key`
  // A scalar query, unlike `exists`, is never joined: PostgreSQL would read and sort all responses before the limit.
  const exists = (test: RawBuilder<unknown>) => sql`coalesce((select true from response_coding coding
    where ${own} and coding.response_id = response.id and coding.key = field.key and ${test} limit 1), false)`
  const codedTests = {
    yes: exists(sql`true`),
    no: sql`not ${exists(sql`true`)}`,
    none: exists(sql`coding.category_id = 0`),
    changed: exists(sql`coding.digest <> md5(${text})::uuid`),
  }
  const source =
    category === undefined
      ? sql`from response cross join unnest(${keys}) with ordinality as field (key, position)
          where response.survey_id = ${surveyId}`
      : sql`from response_coding coding
          cross join lateral (select * from response one
            where one.survey_id = ${surveyId} and one.id = coding.response_id limit 1) as response
          cross join lateral (select coding.key, array_position(${keys}, coding.key)) as field (key, position)
          where ${own} and coding.category_id = ${category} and coding.key = any(${keys})`
  return sql`${source}
    and jsonb_typeof(response.answers -> field.key) = 'string' and btrim(${text}) <> ''
    ${contains === undefined ? sql`` : sql`and strpos(lower(${text}), lower(${contains}::text)) > 0`}
    ${coded === undefined ? sql`` : sql`and ${codedTests[coded]}`}`
}

async function withCategories(
  db: Kysely<Tables>,
  surveyId: number,
  scope: CodingScope,
  { contains }: AnswerSearch,
  fields: readonly Field[],
  rows: readonly AnswerRow[],
): Promise<CodedAnswer[]> {
  const ids = [...new Set(rows.map(({ id }) => id))]
  const { rows: codings } = await sql<{ id: number; key: string; category: number; changed: boolean }>`
    select coding.response_id as id, coding.key, coding.category_id as category,
      coding.digest is distinct from md5(response.answers ->> coding.key)::uuid as changed
    from response_coding coding
    join response on response.survey_id = ${surveyId} and response.id = coding.response_id
    where coding.survey_id = ${surveyId} and coding.round_id = ${scope.round_id}
      and coding.coder_id = ${scope.coder_id} and coding.response_id = any(${ids}::bigint[])
    order by category`.execute(db)
  const byAnswer = Map.groupBy(codings, ({ id, key }) => `${id} ${key}`)
  return rows.map(({ id, number, language, position, text }) => {
    const field = fields[position - 1]!
    const own = byAnswer.get(`${id} ${field.storedKey}`) ?? []
    return {
      responseId: id,
      responseNumber: number,
      field,
      language,
      text,
      highlights: contains === undefined ? [] : highlightsIn(text, contains),
      categories: own.map(({ category }) => category).filter((category) => category !== 0),
      none: own.some(({ category }) => category === 0),
      changed: own.some(({ changed }) => changed),
    }
  })
}

const MAX_HIGHLIGHTS = 100

/** Returns the first places of a text in another one, regardless of case. */
export function highlightsIn(text: string, contains: string): { start: number; end: number }[] {
  const pattern = new RegExp(contains.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  return text
    .matchAll(pattern)
    .take(MAX_HIGHLIGHTS)
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .toArray()
}

/** The number of answers that meet the conditions, among the newest {@link COUNTED_RESPONSES} responses. */
export interface AnswerCount {
  count: number
  /** Whether all responses were searched. */
  complete: boolean
}

/**
 * Counts text answers. Counts again only if a response, the coding or the survey has changed.
 * @throws {Problem} as {@link listAnswers}
 */
export async function countAnswers(context: Context, surveyId: number, search: AnswerSearch): Promise<AnswerCount> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const fields = fieldsNamed(snapshot.questionnaire, search.question)
  const scope = await scopeOf(context, surveyId)
  const db = context.em.getKysely<Tables>()
  if (fields.length === 0) return { count: 0, complete: true }
  const coding = [scope.round_id, scope.coder_id, await codingRevision(db, surveyId)]
  return remember(context, snapshot, ['coded answers', ...coding, search], async () => {
    const bound = await boundOf(db, surveyId, scope, search, FIRST.id, COUNTED_RESPONSES)
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count
      ${answersFrom(surveyId, scope, search, fields)} and response.id > ${bound ?? 0}`.execute(db)
    return { count: rows[0]!.count, complete: bound === null }
  })
}

/** One text answer: a response, and the response key of a field. */
export interface AnswerName {
  responseId: number
  key: string
}

/** What to do with the categories of answers. */
export interface CodingChange {
  /** IDs of categories to add. */
  add?: readonly number[] | undefined
  remove?: readonly number[] | undefined
  /**
   * True marks the answers as coded although no category fits, and takes them out of all categories; false removes the
   * mark.
   */
  none?: boolean | undefined
}

/**
 * Changes the categories of text answers, or of none of them. Adding a category also notes the present text as the
 * coded one, so that the answer no longer counts as changed. While a round is open, changes the actor's own coding. Call
 * it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`, `category_not_found`, `invalid_request` for an answer that does not
 *   exist
 */
export async function codeAnswers(
  context: Context,
  surveyId: number,
  answers: readonly AnswerName[],
  { add = [], remove = [], none }: CodingChange,
): Promise<void> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'Correct')
  const keys = answers.map(({ key }) => {
    const field = q.byKey.get(key)
    if (!field || !isCodable(field)) throw problems.invalidField('answers', 'unknown_question', { value: key })
    return field.storedKey
  })
  if (add.length === 0 && remove.length === 0 && none === undefined)
    throw problems.invalidField('add', 'missing_parameter')
  if (none && add.length > 0) throw problems.invalidField('none', 'mutually_exclusive')
  const db = context.em.getKysely<Tables>()
  await checkCategories(db, surveyId, [...add, ...remove])
  const scope = await scopeOf(context, surveyId)
  const given = { ids: answers.map(({ responseId }) => responseId), keys }
  const existing = await insertCodings(db, surveyId, scope, given, none ? [0] : add)
  const missing = answers.find((_, index) => !existing.has(`${given.ids[index]} ${keys[index]}`))
  if (missing) throw problems.invalidField('answers', 'not_found', { value: `${missing.responseId} ${missing.key}` })
  const unmarks = none === false || add.length > 0
  const removed = none ? sql`category_id <> 0` : sql`category_id = any(${unmarks ? [0, ...remove] : remove}::bigint[])`
  await sql`delete from response_coding coding using unnest(${given.ids}::bigint[], ${keys}::text[]) as given (id, key)
    where coding.survey_id = ${surveyId} and coding.round_id = ${scope.round_id} and coding.coder_id = ${scope.coder_id}
      and coding.response_id = given.id and coding.key = given.key and ${removed}`.execute(db)
  await noteChange(db, surveyId)
}

/** The categories of an answer. */
export type AnswerCategories = Pick<CodedAnswer, 'categories' | 'none'>

/**
 * Returns the categories of some answers, in the coding that the actor sees.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function categoriesOf(
  context: Context,
  surveyId: number,
  answers: readonly AnswerName[],
): Promise<(answer: AnswerName) => AnswerCategories> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'View')
  const scope = await scopeOf(context, surveyId)
  const ids = [...new Set(answers.map(({ responseId }) => responseId))]
  const rows = await context.em
    .getKysely<Tables>()
    .selectFrom('response_coding')
    .select(['response_id', 'key', 'category_id'])
    .where('survey_id', '=', surveyId)
    .where('round_id', '=', scope.round_id)
    .where('coder_id', '=', scope.coder_id)
    .where((eb) => eb('response_id', '=', eb.fn.any(eb.val(ids))))
    .execute()
  return ({ responseId, key }) => {
    const stored = q.byKey.get(key)?.storedKey
    const own = rows.filter((row) => row.response_id === responseId && row.key === stored)
    const categories = own.map(({ category_id }) => category_id)
    return { categories: categories.filter((id) => id !== 0), none: categories.includes(0) }
  }
}

/**
 * Adds categories to answers. The lock on the responses makes a deletion wait, which then takes the categories along.
 * @returns the answers that exist, as `<id> <stored key>`
 */
async function insertCodings(
  db: Kysely<Tables>,
  surveyId: number,
  scope: CodingScope,
  { ids, keys }: { ids: readonly number[]; keys: readonly string[] },
  categories: readonly number[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: number; key: string; digest: string }>`
    select response.id, given.key, md5(response.answers ->> given.key) as digest
    from response join unnest(${ids}::bigint[], ${keys}::text[]) as given (id, key) on response.id = given.id
    where response.survey_id = ${surveyId} and jsonb_typeof(response.answers -> given.key) = 'string'
      and btrim(response.answers ->> given.key) <> ''
    for key share of response`.execute(db)
  const codings = [...new Map(rows.map((row) => [`${row.id} ${row.key}`, row])).values()].flatMap(
    ({ id, key, digest }) =>
      [...new Set(categories)].map((category_id) => ({
        survey_id: surveyId,
        response_id: id,
        key,
        ...scope,
        category_id,
        digest,
      })),
  )
  for (let from = 0; from < codings.length; from += ROWS_PER_STATEMENT)
    await db
      .insertInto('response_coding')
      .values(codings.slice(from, from + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(['survey_id', 'response_id', 'key', 'round_id', 'coder_id', 'category_id'])
          .doUpdateSet((eb) => ({ digest: eb.ref('excluded.digest') })),
      )
      .execute()
  return new Set(rows.map(({ id, key }) => `${id} ${key}`))
}

const ROWS_PER_STATEMENT = 1_000
