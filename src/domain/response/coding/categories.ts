import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import type { Context } from '../../context.ts'
import { checkName } from '../../name.ts'
import { problems } from '../../problem.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'
import { noteChange } from '../edit/coding-change.ts'

/** A category into which coders put text answers. All categories of a survey are its coding frame. */
export interface Category {
  id: number
  name: string
  /** When the category fits an answer. */
  description: string
  /** `#` and six hexadecimal digits. */
  colour: string
  /** Number of answers in the category. */
  answers: number
}

export type CategoryDraft = Pick<Category, 'name'> & Partial<Pick<Category, 'description' | 'colour'>>

export const MAX_CATEGORIES = 200
const MAX_NAME_CHARACTERS = 100

/** Whose coding of a survey is read or changed: that of the survey (0, 0), or that of a coder in a blind round. */
export interface CodingScope {
  round_id: number
  coder_id: number
}

/** The coding that exports and reports show. */
export const SURVEY_CODING: CodingScope = { round_id: 0, coder_id: 0 }

/**
 * Returns the coding that an actor sees and changes. While a round is open, coders are blind: everybody, also the owner,
 * sees only their own coding of the round.
 */
export async function scopeOf({ em, actor }: Pick<Context, 'em' | 'actor'>, surveyId: number): Promise<CodingScope> {
  const round = await em
    .getKysely<Tables>()
    .selectFrom('coding_round')
    .select('id')
    .where('survey_id', '=', surveyId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return round ? { round_id: round.id, coder_id: actor.id } : SURVEY_CODING
}

/**
 * Lists the categories of a survey by name, with their numbers of answers.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listCategories(context: Context, surveyId: number): Promise<Category[]> {
  await findSnapshot(context, surveyId, 'View')
  const scope = await scopeOf(context, surveyId)
  const db = context.em.getKysely<Tables>()
  return readCategories(db, surveyId, await cachedCounts(context, surveyId, scope))
}

/**
 * Reads the categories of a survey by name. The caller has checked the permission.
 * @param answers the numbers of answers
 */
export async function readCategories(
  db: Kysely<Tables>,
  surveyId: number,
  answers: Counts = new Map(),
): Promise<Category[]> {
  const rows = await db
    .selectFrom('coding_category')
    .select(['id', 'name', 'description', 'colour'])
    .where('survey_id', '=', surveyId)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()
  if (rows.length === 0) return []
  return rows.map((row) => ({ ...row, answers: answers.get(row.id) ?? 0 }))
}

/** Numbers of answers by the ID of the category. */
type Counts = ReadonlyMap<number, number>

const MAX_CACHED = 1_000
const caches = new WeakMap<Pool, LRUCache<string, Counts>>()

/**
 * Returns the numbers of answers by category. Counts them only if the coding has changed since. Do not call it in a
 * transaction that changes the coding.
 */
async function cachedCounts({ em, services }: Context, surveyId: number, scope: CodingScope): Promise<Counts> {
  const db = em.getKysely<Tables>()
  const cache = caches.get(services.pool) ?? new LRUCache<string, Counts>({ max: MAX_CACHED })
  caches.set(services.pool, cache)
  // If the coding changes between the two queries, the counts are newer than the revision, and nobody asks for it again.
  const revision = await codingRevision(db, surveyId)
  const name = `${surveyId} ${scope.round_id} ${scope.coder_id} ${revision}`
  const counts = cache.get(name) ?? (await countAnswers(db, surveyId, scope))
  cache.set(name, counts)
  return counts
}

async function countAnswers(db: Kysely<Tables>, surveyId: number, scope: CodingScope): Promise<Counts> {
  const counted = await db
    .selectFrom('response_coding')
    .select(['category_id', (eb) => eb.fn.countAll<number>().as('answers')])
    .where('survey_id', '=', surveyId)
    .where('round_id', '=', scope.round_id)
    .where('coder_id', '=', scope.coder_id)
    .groupBy('category_id')
    .execute()
  return new Map(counted.map((row) => [row.category_id, row.answers]))
}

/** Returns the revision of the coding of a survey (edit/coding-change.ts). */
export async function codingRevision(db: Kysely<Tables>, surveyId: number): Promise<number> {
  const state = await db
    .selectFrom('response_coding_state')
    .select('revision')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  return state?.revision ?? 0
}

/** Colours of new categories, in turn. Black text on them has a contrast of at least 7:1. */
const COLOURS = [
  '#f9c74f',
  '#90be6d',
  '#8ecae6',
  '#f4a261',
  '#cdb4db',
  '#ffafcc',
  '#a3c4bc',
  '#e9c46a',
  '#bde0fe',
  '#d4e09b',
]

/**
 * Creates a category.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`, `category_exists`
 */
export async function createCategory(context: Context, surveyId: number, draft: CategoryDraft): Promise<Category> {
  await findSnapshot(context, surveyId, 'Correct')
  const name = checkName(draft.name, 'name', MAX_NAME_CHARACTERS)
  const db = context.em.getKysely<Tables>()
  const { count } = await db
    .selectFrom('coding_category')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('survey_id', '=', surveyId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_CATEGORIES) throw problems.invalidField('name', 'limit_reached', { max: MAX_CATEGORIES })
  const description = draft.description?.trim() ?? ''
  const colour = draft.colour?.toLowerCase() ?? COLOURS[count % COLOURS.length]!
  const { id } = await db
    .insertInto('coding_category')
    .values({ survey_id: surveyId, name, description, colour, created_at: context.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await noteChange(db, surveyId)
  return { id, name, description, colour, answers: 0 }
}

/**
 * Changes the given members of a category.
 * @throws {Problem} `survey_not_found`, `forbidden`, `category_not_found`, `invalid_request`, `category_exists`
 */
export async function updateCategory(
  context: Context,
  surveyId: number,
  id: number,
  { name, description, colour }: Partial<CategoryDraft>,
): Promise<Category> {
  await findSnapshot(context, surveyId, 'Correct')
  const db = context.em.getKysely<Tables>()
  const { numUpdatedRows } = await db
    .updateTable('coding_category')
    .set({
      id,
      ...(name !== undefined && { name: checkName(name, 'name', MAX_NAME_CHARACTERS) }),
      ...(description !== undefined && { description: description.trim() }),
      ...(colour !== undefined && { colour: colour.toLowerCase() }),
    })
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.categoryNotFound()
  await noteChange(db, surveyId)
  const answers = await countAnswers(db, surveyId, await scopeOf(context, surveyId))
  return (await readCategories(db, surveyId, answers)).find((category) => category.id === id)!
}

/**
 * Deletes a category, and takes all answers out of it. Answers that were in no other category become uncoded.
 * @throws {Problem} `survey_not_found`, `forbidden`, `category_not_found`
 */
export async function deleteCategory(context: Context, surveyId: number, id: number): Promise<void> {
  await findSnapshot(context, surveyId, 'Correct')
  const db = context.em.getKysely<Tables>()
  const { numDeletedRows } = await db
    .deleteFrom('coding_category')
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw problems.categoryNotFound()
  await db.deleteFrom('response_coding').where('survey_id', '=', surveyId).where('category_id', '=', id).execute()
  await noteChange(db, surveyId)
}

/** @throws {Problem} `category_not_found` unless all categories exist in the survey */
export async function checkCategories(db: Kysely<Tables>, surveyId: number, ids: readonly number[]): Promise<void> {
  const known = await db
    .selectFrom('coding_category')
    .select('id')
    .where('survey_id', '=', surveyId)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .execute()
  if (new Set(ids).size !== known.length) throw problems.categoryNotFound()
}
