import { Collector } from '../collector/collector.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { checkStructure } from '../structure/check.ts'
import { normaliseStructure, type Structure, titleOf } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { findSurvey } from './queries.ts'
import { defaultSettings } from './settings.ts'
import { freeSlug, slugOf } from './slug.ts'
import { Survey } from './survey.ts'
import { SurveyVersion } from './version.ts'

/** Longest name of a survey, in characters. */
export const LONGEST_NAME = 255

export interface NewSurvey {
  /** Absent: the structure's title. */
  name?: string | undefined
  live?: boolean | undefined
  /** As authored; absent: only the name as title. */
  structure?: unknown
}

/**
 * Checks a structure and brings it into the form in which it is kept.
 * @throws {Problem} `invalid_request`, each fault by JSON pointer.
 */
export function acceptStructure(structure: unknown): Structure {
  const faults = checkStructure(structure)
  if (faults.length) throw problems.invalid(faults)
  return normaliseStructure(structure)
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (!trimmed) throw problems.invalidField('name', 'must not be empty')
  if (trimmed.length > LONGEST_NAME) throw problems.invalidField('name', `must have at most ${LONGEST_NAME} characters`)
  return trimmed
}

/** Serialises the choice of a slug per owner until the commit: two surveys of one name get two slugs. */
async function takeSlug({ em, actor }: Context, name: string): Promise<string> {
  const db = em.getKysely<Tables>()
  await db.selectFrom('account').select('id').where('id', '=', actor.id).forUpdate().execute()
  const base = slugOf(name)
  const rows = await db
    .selectFrom('survey')
    .select('slug')
    .where('owner_id', '=', actor.id)
    .where((eb) => eb.fn<boolean>('starts_with', ['slug', eb.val(base)]))
    .execute()
  return freeSlug(base, new Set(rows.map(({ slug }) => slug)))
}

/**
 * Makes a survey with its first version and its default collector.
 * @throws {Problem} `invalid_request` for a name or a structure that cannot be.
 */
export async function createSurvey(context: Context, draft: NewSurvey): Promise<Survey> {
  const { em, actor, now } = context
  const structure = acceptStructure(draft.structure ?? { title: draft.name ?? '' })
  const name = checkName(draft.name ?? titleOf(structure).slice(0, LONGEST_NAME))
  const survey = em.create(Survey, {
    owner: actor.id,
    name,
    slug: await takeSlug(context, name),
    live: draft.live ?? true,
    structure,
    settings: defaultSettings,
    createdAt: now,
    updatedAt: now,
  })
  em.create(SurveyVersion, { survey, version: 1, structure, creator: actor.id, createdAt: now })
  em.create(Collector, { survey, name: 'Default', isDefault: true, settings: {}, createdAt: now })
  await em.flush()
  return survey
}

/** Renames a survey, opens or closes it. The slug stays. @throws {Problem} `survey_not_found`, `invalid_request` */
export async function updateSurvey(
  context: Context,
  id: number,
  change: { name?: string | undefined; live?: boolean | undefined },
): Promise<Survey> {
  const survey = await findSurvey(context, id)
  if (change.name !== undefined) survey.rename(checkName(change.name), context.now)
  if (change.live !== undefined) survey.open(change.live, context.now)
  await context.em.flush()
  return survey
}

/** Opens a closed survey, closes an open one. @throws {Problem} `survey_not_found` */
export async function toggleSurvey(context: Context, id: number): Promise<Survey> {
  const survey = await findSurvey(context, id)
  survey.open(!survey.live, context.now)
  await context.em.flush()
  return survey
}

/** Deletes a survey with everything that belongs to it, responses included. @throws {Problem} `survey_not_found` */
export async function deleteSurvey(context: Context, id: number): Promise<void> {
  const survey = await findSurvey(context, id)
  const db = context.em.getKysely<Tables>()
  context.em.remove(survey)
  await context.em.flush()
  for (const table of ['response', 'response_change', 'survey_feed', 'response_count'] as const)
    await db.deleteFrom(table).where('survey_id', '=', id).execute()
}

/** Replaces the structure and keeps the new one as a version. @throws {Problem} `survey_not_found`, `invalid_request` */
export async function restructureSurvey(context: Context, id: number, authored: unknown): Promise<Survey> {
  const { em, actor, now } = context
  const survey = await findSurvey(context, id)
  const structure = acceptStructure(authored)
  survey.restructure(structure, now)
  em.create(SurveyVersion, { survey, version: survey.version, structure, creator: actor.id, createdAt: now })
  await em.flush()
  return survey
}
