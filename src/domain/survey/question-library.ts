import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { summariseGroup } from '../group/queries.ts'
import { useImages } from '../image/use.ts'
import { checkName, truncateName } from '../name.ts'
import { problems } from '../problem.ts'
import { type CopiedStructure, type CopyLoss, copyBetween } from '../structure/edit/copy-between.ts'
import type { Structure } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { changeDraft } from './drafts.ts'
import { findWorkingCopy } from './working-copy.ts'

/** Maximum number of questions that an account saves. */
const MAX_QUESTIONS = 1_000
/** Maximum number of characters of a saved question as JSON. */
const MAX_CHARACTERS = 100_000

/** A question of the library. */
export interface LibraryQuestion {
  id: number
  name: string
  idname: string
  /** Codes of the languages of its texts. */
  languages: readonly string[]
  ownerId: number
  owner: string
  /** The group whose members can insert the question; null: only the owner. */
  group: { id: number; name: string } | null
  createdAt: Date
}

const db = ({ em }: Context) => em.getKysely<Tables>()

/** Returns a query for the questions that the actor saved, and those that others share in groups of the actor. */
const visibleQuestions = (context: Context) =>
  db(context)
    .selectFrom('question_library')
    .where((eb) => {
      const { id } = context.actor
      const owned = eb.selectFrom('account_group').select('account_group.id').where('account_group.owner_id', '=', id)
      const joined = eb.selectFrom('group_member').select('group_member.group_id as id').where('account_id', '=', id)
      return eb.or([
        eb('question_library.owner_id', '=', id),
        eb('question_library.group_id', 'in', owned.union(joined)),
      ])
    })

/**
 * Returns the questions of the library that the actor can insert, newest first.
 * @param search a part of the name, in upper or lower case
 */
export async function listLibrary(
  context: Context,
  search: string | undefined,
  { offset, limit }: Slice,
): Promise<{ total: number; questions: LibraryQuestion[] }> {
  let found = visibleQuestions(context)
  const text = search?.trim()
  if (text) found = found.where('question_library.name', 'ilike', `%${text.replace(/[\\%_]/g, '\\$&')}%`)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const questions = await withOwners(found).orderBy('question_library.id', 'desc').offset(offset).limit(limit).execute()
  return { total, questions: questions.map(toQuestion) }
}

const withOwners = (found: ReturnType<typeof visibleQuestions>) =>
  found
    .innerJoin('account', 'account.id', 'question_library.owner_id')
    .leftJoin('account_group', 'account_group.id', 'question_library.group_id')
    .select(['question_library.id', 'question_library.name', 'idname', 'question_library.owner_id', 'group_id'])
    .select(['account.name as ownerName', 'account.username', 'account_group.name as groupName'])
    .select(['question_library.created_at', (eb) => eb.ref('structure', '->').key('languages').as('languages')])

type Row = Awaited<ReturnType<ReturnType<typeof withOwners>['execute']>>[number]

const toQuestion = (row: Row): LibraryQuestion => ({
  id: row.id,
  name: row.name,
  idname: row.idname,
  languages: row.languages.map(({ code }) => code),
  ownerId: row.owner_id,
  owner: row.ownerName || row.username,
  group: row.group_id === null ? null : { id: row.group_id, name: row.groupName ?? '' },
  createdAt: new Date(row.created_at),
})

/**
 * Saves a copy of a question of a draft in the library of the actor (role Edit or Test). What refers to other questions is
 * left out, see {@link copyBetween}.
 * @param name the title of the question by default
 * @param group a group of the actor, whose members can insert the question
 * @returns the saved question, and what was left out
 * @throws {Problem} `survey_not_found`, `forbidden`, `question_not_found`, `group_not_found`, `invalid_request`
 */
export async function saveToLibrary(
  context: Context,
  surveyId: number,
  question: string,
  { name, group }: { name?: string | undefined; group?: number | undefined } = {},
): Promise<{ saved: LibraryQuestion; losses: readonly CopyLoss[] }> {
  const { actor, em, now } = context
  const { structure } = await findWorkingCopy(context, surveyId)
  const empty: Structure = { title: {}, languages: structure.languages, form: [] }
  const { structure: copy, losses } = copyBetween(structure, { question }, empty)
  const { idname, title } = copy.form[0]!.children[0]!
  const own = name?.trim() ? checkName(name) : truncateName(titleIn(title, structure)) || idname
  if (group !== undefined) await summariseGroup(context, group)
  const written = JSON.stringify(copy)
  if (written.length > MAX_CHARACTERS) {
    const values = { max: MAX_CHARACTERS }
    throw problems.invalidField('question', 'too_long', values, detail('library_question_too_large', values))
  }
  await assertSpace(context)
  const { id } = await db(context)
    .insertInto('question_library')
    .values({ owner_id: actor.id, group_id: group ?? null, name: own, idname, structure: written, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await useImages(em, { library_id: id }, copy, { isKept: true, now })
  const saved = await withOwners(visibleQuestions(context)).where('question_library.id', '=', id).executeTakeFirst()
  return { saved: toQuestion(saved!), losses: [...new Set(losses.map(({ what }) => what))] }
}

/** Returns a title in the default language, otherwise in any language. */
function titleIn(title: Readonly<Record<string, unknown>> | undefined, { languages }: Structure): string {
  const code = languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  return String(title?.[code] || Object.values(title ?? {}).find((text) => text) || '').trim()
}

/** Locks the account until the commit, so that requests at the same time do not exceed the maximum. */
async function assertSpace(context: Context): Promise<void> {
  const { actor } = context
  await db(context).selectFrom('account').select('id').where('id', '=', actor.id).forNoKeyUpdate().execute()
  const { total } = await db(context)
    .selectFrom('question_library')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('owner_id', '=', actor.id)
    .executeTakeFirstOrThrow()
  if (total < MAX_QUESTIONS) return
  const values = { max: MAX_QUESTIONS }
  throw problems.invalidField('question', 'limit_reached', values, detail('too_many_library_questions', values))
}

/**
 * Returns a structure that contains only a question of the library.
 * @throws {Problem} `library_question_not_found`
 */
export async function findInLibrary(context: Context, id: number): Promise<Structure> {
  const found = await visibleQuestions(context).select('structure').where('id', '=', id).executeTakeFirst()
  if (!found) throw problems.libraryQuestionNotFound()
  return found.structure
}

/**
 * Renames a question that the actor saved. Its copies in surveys keep their titles.
 * @throws {Problem} `library_question_not_found`, `invalid_request`; `forbidden` for a question that somebody else shares
 */
export async function renameInLibrary(context: Context, id: number, name: string): Promise<void> {
  await assertOwn(context, id, 'rename a question that somebody else saved')
  await db(context)
    .updateTable('question_library')
    .set({ name: checkName(name) })
    .where('id', '=', id)
    .execute()
}

/**
 * Deletes a question that the actor saved. Its copies in surveys stay.
 * @throws {Problem} `library_question_not_found`; `forbidden` for a question that somebody else shares
 */
export async function deleteFromLibrary(context: Context, id: number): Promise<void> {
  await assertOwn(context, id, 'delete a question that somebody else saved')
  await db(context).deleteFrom('question_library').where('id', '=', id).execute()
}

async function assertOwn(context: Context, id: number, action: string): Promise<void> {
  const found = await visibleQuestions(context).select('owner_id').where('id', '=', id).executeTakeFirst()
  if (!found) throw problems.libraryQuestionNotFound()
  if (found.owner_id !== context.actor.id) throw problems.forbidden(action)
}

/**
 * Inserts a question of the library into the draft of a survey (role Edit), with a new ID, see {@link copyBetween}.
 * @param place the page, from 0 (by default the last one), and the position on it, from 0 (by default the end)
 * @param label describes the insertion, for undo and redo
 * @throws {Problem} `survey_not_found`, `forbidden`, `library_question_not_found`, `structure_changed` for a place that
 *   does not exist, `invalid_structure` if the survey would become too large
 */
export async function insertFromLibrary(
  context: Context,
  surveyId: number,
  id: number,
  place: { page?: number | undefined; position?: number | undefined } = {},
  label = 'Question inserted from the library',
): Promise<CopiedStructure & { source: Structure }> {
  await findWorkingCopy(context, surveyId)
  const source = await findInLibrary(context, id)
  const question = source.form[0]!.children[0]!.id
  return changeDraft(
    context,
    surveyId,
    (target) => {
      const page = place.page ?? Math.max(0, target.form.length - 1)
      return { ...copyBetween(source, { question }, target, page, place.position), source }
    },
    label,
  )
}
