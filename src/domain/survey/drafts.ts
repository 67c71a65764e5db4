import type { EntityManager } from '@mikro-orm/postgresql'
import { nextTurn } from '../../lib/next-turn.ts'
import type { Context } from '../context.ts'
import { can, findAccess } from '../group/access.ts'
import { useImages } from '../image/use.ts'
import { problems } from '../problem.ts'
import { recordFrequentActivity } from '../security/record.ts'
import { applyOperation } from '../structure/edit/apply-operation.ts'
import type { Operation } from '../structure/edit/operation.ts'
import type { NumberedStructure } from '../structure/numbering.ts'
import { checkForPublishing, type PublishingCheck } from '../structure/publishing/findings.ts'
import { hasQuestions, type Structure, type StructureWarning, titleOf } from '../structure/structure.ts'
import { structureWarnings } from '../structure/warnings.ts'
import type { Tables } from '../tables.ts'
import { isComplete } from '../text/catalog.ts'
import { checkImages } from './anonymity.ts'
import { findApproval } from './approval.ts'
import { type SavedStructure, setLive, updateStructure } from './commands.ts'
import { findSnapshot, lockSurvey } from './queries.ts'
import { assignNumbers } from './save-version.ts'
import { type Draft, findWorkingCopy, parseStructure, type WorkingCopy, withTitle } from './working-copy.ts'

/** Number of steps that can be undone. */
const MAX_UNDO_STEPS = 50
/** If no change is made for this time, the next automatic save is a separate undo step. */
const MAX_PAUSE_MS = 120_000

/**
 * Returns the working copy so that it can be changed. Locks the survey until the commit, so concurrent changes are
 * applied one after the other.
 */
async function lockWorkingCopy(context: Context, id: number): Promise<WorkingCopy> {
  await lockSurvey(context, id, 'Edit')
  return findWorkingCopy(context, id)
}

/** Locks the draft of a survey until the commit, even if there is no draft yet. Checks no permission. */
export async function lockDraft(em: EntityManager, id: number): Promise<void> {
  await em.getKysely<Tables>().selectFrom('survey').select('id').where('id', '=', id).forUpdate().execute()
}

/** How an operation on a draft is applied. */
interface EditOptions {
  /**
   * Returns whether the part that the operation changes is still as the author saw it. If absent, this is not checked.
   */
  isCurrent?(structure: Structure): boolean
  /**
   * The edited part, if the editor saves it automatically while the author types. Repeated saves of the same part are
   * one undo step.
   */
  subject?: string | undefined
}

/**
 * Applies a small operation to the draft of a survey, and creates the draft if there is none. Respondents see the
 * change when the draft is published.
 * @param label describes the operation, for undo and redo
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure`, `invalid_request`, `question_not_found`,
 *   `structure_changed`
 */
export async function editDraft(
  context: Context,
  id: number,
  operation: Operation,
  label: string,
  { isCurrent = () => true, subject }: EditOptions = {},
): Promise<void> {
  const before = await lockWorkingCopy(context, id)
  if (!isCurrent(before.structure)) throw problems.draftChanged()
  await store(context, id, before, applyOperation(before.structure, operation), label, subject)
}

/**
 * Changes the draft of a survey with a function, as one step that can be undone (role Edit).
 * @returns the result of the function
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure`, and what the function throws
 */
export async function changeDraft<Result extends { structure: Structure }>(
  context: Context,
  id: number,
  change: (structure: Structure) => Result,
  label: string,
): Promise<Result> {
  const before = await lockWorkingCopy(context, id)
  const result = change(before.structure)
  await store(context, id, before, result.structure, label)
  return result
}

/**
 * Replaces the draft of a survey (role Edit).
 * @param revision the revision of the working copy that the author edited; if the draft has changed since, it is not
 *   overwritten
 * @returns the draft, with likely mistakes in it
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure`, `structure_changed`
 */
export async function saveDraft(
  context: Context,
  id: number,
  authored: unknown,
  revision?: string,
): Promise<WorkingCopy & { warnings: StructureWarning[] }> {
  const before = await lockWorkingCopy(context, id)
  const structure = parseStructure(authored)
  if (revision !== undefined && revision !== before.revision) throw problems.draftChanged()
  await store(context, id, before, structure, 'Structure edited')
  return { ...(await findWorkingCopy(context, id)), warnings: structureWarnings(authored) }
}

/**
 * Replaces the draft of a survey with a structure that may lack a title, as {@link replaceStructure} does (role Edit).
 * @returns the draft, with likely mistakes in it
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure`
 */
export async function replaceDraft(context: Context, id: number, authored: unknown) {
  const { name } = await lockSurvey(context, id, 'Edit')
  const { structure } = await findWorkingCopy(context, id)
  return saveDraft(context, id, withTitle(authored, titleOf(structure) ? structure.title : name))
}

/**
 * Validates a structure and stores it as the next step of the draft, or in place of the last step (see
 * {@link continues}). Deletes steps that were undone.
 */
async function store(
  context: Context,
  id: number,
  before: WorkingCopy,
  after: unknown,
  label: string,
  subject?: string,
): Promise<void> {
  await nextTurn()
  const parsed = parseStructure(after)
  await nextTurn()
  const { structure } = assignNumbers(parsed, before)
  await checkImages(context, { id }, structure, before.structure)
  if (JSON.stringify(structure) === JSON.stringify(before.structure)) return
  const db = context.em.getKysely<Tables>()
  const { draft, published } = before
  const step = (draft?.step ?? 0) + (draft && continues(context, draft, subject) ? 0 : 1)
  const own = { step, author_id: context.actor.id, updated_at: context.now }
  if (draft) {
    await db.updateTable('survey_draft').set(own).where('survey_id', '=', id).execute()
    await db
      .deleteFrom('survey_draft_step')
      .where('survey_id', '=', id)
      .where((eb) => eb.or([eb('step', '>=', step), eb('step', '<', step - MAX_UNDO_STEPS)]))
      .execute()
  } else {
    await db
      .insertInto('survey_draft')
      .values({ ...own, survey_id: id, base_version: published.version })
      .execute()
    const first = { survey_id: id, step: 0, structure: JSON.stringify(published.structure), label: '' }
    await db.insertInto('survey_draft_step').values(first).execute()
  }
  const next = { survey_id: id, step, structure: JSON.stringify(structure), label, subject: subject ?? null }
  await db.insertInto('survey_draft_step').values(next).execute()
  await useImages(context.em, { survey_id: id }, structure, { isKept: false, now: context.now })
  await recordFrequentActivity(context, id, 'survey_edited')
}

/**
 * Returns whether an automatic save replaces the last step: the same author continues to edit the same part without a
 * pause.
 */
const continues = ({ actor, now }: Context, draft: Draft, subject: string | undefined): boolean =>
  subject !== undefined &&
  subject === draft.subject &&
  draft.author === actor.username &&
  now.getTime() - draft.updatedAt.getTime() < MAX_PAUSE_MS

/**
 * Undoes the last operation on the draft, or repeats the operation that was undone last (role Edit).
 * @returns the label of the operation; undefined if there is none
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function moveInHistory(context: Context, id: number, to: 'undo' | 'redo'): Promise<string | undefined> {
  const { draft } = await lockWorkingCopy(context, id)
  const label = draft?.[to]
  if (!draft || label === undefined) return undefined
  await context.em
    .getKysely<Tables>()
    .updateTable('survey_draft')
    .set({ step: draft.step + (to === 'undo' ? -1 : 1), author_id: context.actor.id, updated_at: context.now })
    .where('survey_id', '=', id)
    .execute()
  return label
}

/**
 * Deletes the draft of a survey (role Edit). The published version is kept.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function discardDraft(context: Context, id: number): Promise<void> {
  await lockSurvey(context, id, 'Edit')
  await deleteDraft(context, id)
}

const deleteDraft = ({ em }: Context, id: number) =>
  em.getKysely<Tables>().deleteFrom('survey_draft').where('survey_id', '=', id).execute()

/** A published structure. */
interface PublishedStructure extends SavedStructure {
  /** Whether this publication opened the survey, see {@link openUnpublished}. */
  opened: boolean
}

/**
 * Opens a survey that was created in the browser and has never been open, when its structure is published. The survey
 * stays closed if it has no questions, or if the actor does not have the role Publish.
 */
async function openUnpublished(context: Context, id: number, structure: Structure): Promise<boolean> {
  const survey = await lockSurvey(context, id, 'Edit')
  if (!survey.unpublished || !hasQuestions(structure) || !can(await findAccess(context, id), 'Publish')) return false
  await setLive(context, survey, true)
  return true
}

/** @throws {Problem} `approval_required` for a survey that would be opened for the first time without an approval */
async function assertApproved(context: Context, id: number, structure: Structure): Promise<void> {
  const survey = await lockSurvey(context, id, 'Edit')
  if (survey.unpublished) await findApproval(context, survey, structure)
}

/**
 * Publishes the draft of a survey as its next version, and deletes the draft (role Edit). If the draft contains no
 * changes, no version is created. The publication can open the survey, see {@link openUnpublished}.
 * @param revision the revision of the draft that the author saw; if the draft has changed since, it is not published
 * @param from the published version that the author saw; default: the version that the draft changes
 * @throws {Problem} `survey_not_found`, `forbidden`; `structure_changed` if another version was published in the
 *   meantime; `invalid_structure` if the survey has become anonymous, and the draft has images on other websites
 */
export async function publishDraft(
  context: Context,
  id: number,
  revision?: string,
  from?: number,
): Promise<PublishedStructure & { changed: boolean }> {
  const { structure, published, draft, changed, ...copy } = await lockWorkingCopy(context, id)
  if (revision !== undefined && revision !== copy.revision) throw problems.draftChanged()
  const saved = changed
    ? await updateStructure(context, id, structure, from ?? draft?.baseVersion)
    : { version: published.version, warnings: [] }
  if (!changed) await assertApproved(context, id, structure)
  await deleteDraft(context, id)
  return { ...saved, changed, opened: await openUnpublished(context, id, structure) }
}

/**
 * Publishes a structure as the next version of a survey (role Edit). The draft of the survey is not published but
 * deleted.
 * @param from the version that the author edited
 * @param revision the revision of the working copy that the author edited
 * @throws {Problem} as {@link updateStructure}
 */
export async function publishStructure(
  context: Context,
  id: number,
  authored: unknown,
  from: number,
  revision?: string,
): Promise<PublishedStructure> {
  const before = await lockWorkingCopy(context, id)
  if (revision !== undefined && revision !== before.revision) throw problems.draftChanged()
  const saved = await updateStructure(context, id, authored, from)
  await deleteDraft(context, id)
  return { ...saved, opened: await openUnpublished(context, id, parseStructure(authored)) }
}

/**
 * Checks the draft of a survey, or the published structure if there is no draft, before it is published (role Edit or
 * Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function checkDraft(
  context: Context,
  surveyId: number,
): Promise<PublishingCheck & Pick<WorkingCopy, 'revision'>> {
  const copy = await findWorkingCopy(context, surveyId)
  const check = await checkBeforePublishing(context, surveyId, copy, copy.published)
  return { ...check, revision: copy.revision }
}

/**
 * Checks a structure with which an author wants to replace the published one (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function checkBeforePublishing(
  context: Context,
  surveyId: number,
  structure: NumberedStructure,
  { structure: published }: NumberedStructure,
): Promise<PublishingCheck> {
  const { texts } = await findSnapshot(context, surveyId, ['Edit', 'Test'])
  await nextTurn()
  const check = checkForPublishing(structure, { published, hasSystemTexts: (code) => isComplete(code, texts) })
  await nextTurn()
  return check
}
