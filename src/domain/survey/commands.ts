import { isDeepStrictEqual } from 'node:util'
import { nextTurn } from '../../lib/next-turn.ts'
import type { Context } from '../context.ts'
import { enqueueWebhookEvent } from '../event.ts'
import { authorize } from '../group/access.ts'
import { useImages } from '../image/use.ts'
import { checkName, truncateName } from '../name.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import type { RemovedItems } from '../structure/numbering.ts'
import { type Structure, type StructureWarning, titleOf } from '../structure/structure.ts'
import { scoreWarnings, structureWarnings } from '../structure/warnings.ts'
import type { Tables } from '../tables.ts'
import type { TextOverrides } from '../text/catalog.ts'
import { findGalleryTemplate, galleryStructure } from './gallery/gallery.ts'
import { findStructure, lockSurvey } from './queries.ts'
import { useOwnIds } from './response-ids.ts'
import { assignNumbers, recordSettings, saveVersion } from './save-version.ts'
import { defaultSettings, type SurveySettings } from './settings.ts'
import { availableSlug, newShortCode, toSlug } from './short-code.ts'
import { Survey, SurveyVersion } from './survey.ts'
import { findTemplate } from './templates.ts'
import { parseStructure, withTitle } from './working-copy.ts'

/** The data of a new survey. */
export interface NewSurvey {
  /** The name. If absent, the title of the structure. */
  name?: string | undefined
  live?: boolean | undefined
  /** Whether the survey stays closed until its structure is published. */
  unpublished?: boolean
  /**
   * The structure in the form in which the author sent it, not validated yet. If absent, the structure is empty and has
   * the name as its title.
   */
  structure?: unknown
  /** Another name of `structure`. */
  initialStructure?: unknown
  /** Id of a template of the actor. The survey gets its structure. Cannot be combined with `structure`. */
  template?: number | undefined
  /** Id of a template of the gallery. Cannot be combined with `structure` or `template`. */
  galleryTemplate?: string | undefined
  /** The default language, if the template of the gallery has this language. */
  language?: string | undefined
}

/**
 * Returns a slug that neither a survey of the actor nor a survey that the actor handed over has. Locks the actor until
 * the commit, so that concurrent calls return different slugs.
 */
export async function reserveSlug({ em, actor }: Context, name: string): Promise<string> {
  const db = em.getKysely<Tables>()
  await db.selectFrom('account').select('id').where('id', '=', actor.id).forNoKeyUpdate().execute()
  const base = toSlug(name)
  const rows = await db
    .selectFrom('survey')
    .select('slug')
    .where('owner_id', '=', actor.id)
    .where((eb) => eb.fn<boolean>('starts_with', ['slug', eb.val(base)]))
    .unionAll(
      db
        .selectFrom('survey_address')
        .select('slug')
        .where('username', '=', actor.username.toLowerCase())
        .where((eb) => eb.fn<boolean>('starts_with', ['slug', eb.val(base)])),
    )
    .execute()
  return availableSlug(base, new Set(rows.map(({ slug }) => slug)))
}

/** The validated data of a new survey. */
export interface SurveyContent {
  name: string
  live: boolean
  unpublished?: boolean
  structure: Structure
  /** Removed choices and rows of the original, if this survey is a copy. */
  removed?: readonly RemovedItems[]
  settings: SurveySettings
  texts?: TextOverrides
  tags: string[]
}

/** Inserts a survey with its first version and default collector, and enqueues the event `survey_create`. */
export async function insertSurvey(
  context: Context,
  { removed = [], texts = {}, ...content }: SurveyContent,
): Promise<Survey> {
  const { em, actor, now } = context
  const { structure } = assignNumbers(content.structure)
  const slug = await reserveSlug(context, content.name)
  const metadata = {
    owner: actor.id,
    slug,
    structure,
    removed,
    texts,
    createdAt: now,
    updatedAt: now,
    shortCode: newShortCode(),
  }
  const survey = em.create(Survey, { ...content, ...metadata })
  em.create(SurveyVersion, { survey, version: 1, structure, creator: actor.id, createdAt: now })
  await em.flush()
  await useImages(em, { survey_id: survey.id }, structure, { isKept: true, now })
  await em
    .getKysely<Tables>()
    .insertInto('collector')
    .values({ survey_id: survey.id, name: 'Default', live: true, is_default: true, settings: {}, created_at: now })
    .execute()
  if (content.settings.anonymous) await useOwnIds(context, survey)
  await recordActivity(context, survey.id, 'survey_created')
  await enqueueWebhookEvent(context, {
    type: 'survey_create',
    survey: { name: survey.name, slug, username: actor.username },
  })
  return survey
}

/** Returns the structure of a new survey from the source that the caller chose. */
async function structureOf(context: Context, draft: NewSurvey): Promise<Structure> {
  const { name, initialStructure, structure = initialStructure, template, galleryTemplate, language } = draft
  const sources = Object.entries({
    template,
    gallery_template: galleryTemplate,
    structure: draft.structure,
    initial_structure: isDeepStrictEqual(draft.structure, initialStructure) ? undefined : initialStructure,
  })
  const [first, second] = sources.flatMap(([member, value]) => (value === undefined ? [] : [member]))
  if (second !== undefined) throw problems.invalidField(second, 'mutually_exclusive', { other: first! })
  if (template !== undefined) return (await findTemplate(context, template)).structure
  if (galleryTemplate !== undefined) return galleryStructure(findGalleryTemplate(galleryTemplate), language)
  return parseStructure(structure ? withTitle(structure, name) : { title: checkName(name ?? '') })
}

/**
 * Creates a survey from a name, an authored structure, a template, or a template of the gallery.
 * @throws {Problem} `invalid_request` for an invalid name or for several sources, `invalid_structure`,
 *   `template_not_found`, `gallery_template_not_found`
 */
export async function createSurvey(context: Context, draft: NewSurvey): Promise<Survey> {
  const structure = await structureOf(context, draft)
  const name = draft.name === undefined ? checkName(truncateName(titleOf(structure)), 'title') : checkName(draft.name)
  const { unpublished = false, live = !unpublished } = draft
  return insertSurvey(context, { name, live, unpublished, structure, settings: defaultSettings, tags: [] })
}

/**
 * Renames a survey (role Edit), and opens or closes it (role Publish). The slug does not change.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function updateSurvey(
  context: Context,
  id: number,
  change: { name?: string | undefined; live?: boolean | undefined },
): Promise<Survey> {
  if (change.name !== undefined || change.live === undefined) await authorize(context, id, 'Edit')
  if (change.live !== undefined) await authorize(context, id, 'Publish')
  const survey = await lockSurvey(context, id, 'Member')
  if (change.name !== undefined) survey.rename(checkName(change.name), context.now)
  if (change.live !== undefined) await setLive(context, survey, change.live)
  await context.em.flush()
  if (change.name !== undefined) await recordActivity(context, id, 'survey_renamed')
  return survey
}

/** Opens or closes a survey. Call it inside a transaction that has locked the survey. */
export async function setLive(context: Context, survey: Survey, live: boolean): Promise<void> {
  const before = { live: survey.live, settings: survey.settings }
  survey.setLive(live, context.now)
  await context.em.flush()
  await recordSettings(context, survey, before)
}

/**
 * Opens a survey that is closed, or closes a survey that is open.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function toggleSurvey(context: Context, id: number): Promise<Survey> {
  const survey = await lockSurvey(context, id, 'Publish')
  await setLive(context, survey, !survey.live)
  return survey
}

/** A structure that was saved as the next version. */
export interface SavedStructure {
  version: number
  /**
   * Likely mistakes in the structure; and removed questions, removed choices and questions of a changed type that have
   * stored answers.
   */
  warnings: StructureWarning[]
}

/**
 * Replaces the structure and saves it as a new version.
 * @param from the version that the caller edited; if a later version exists, nothing is saved
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure`, `structure_changed`
 */
export async function updateStructure(
  context: Context,
  id: number,
  authored: unknown,
  from?: number,
): Promise<SavedStructure> {
  const survey = await lockSurvey(context, id, 'Edit')
  const structure = parseStructure(authored)
  if (from !== undefined && from !== survey.version) throw problems.structureChanged(survey.version)
  await nextTurn()
  const { before, after } = await saveVersion(context, survey, structure)
  await nextTurn()
  const removed = await context.services.removalWarnings(context, id, before, after)
  await nextTurn()
  return {
    version: survey.version,
    warnings: [...structureWarnings(authored), ...scoreWarnings(structure, after), ...removed],
  }
}

/**
 * Replaces the structure. Old clients send structures without a title: then the `name` of the structure becomes the
 * title. If there is no `name` either and the structure has pages, the current title is kept; if that is empty, the
 * name of the survey becomes the title.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure`
 */
export async function replaceStructure(context: Context, id: number, authored: unknown): Promise<SavedStructure> {
  const { name } = await lockSurvey(context, id, 'Edit')
  const structure = await findStructure(context, id)
  return updateStructure(context, id, withTitle(authored, titleOf(structure) ? structure.title : name))
}
