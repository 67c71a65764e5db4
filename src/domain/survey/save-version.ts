import { nextTurn } from '../../lib/next-turn.ts'
import type { Context, PublicContext } from '../context.ts'
import { useImages } from '../image/use.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import { diffStructures } from '../structure/diff.ts'
import { findKeyConflicts, type NumberedStructure, numberStructure } from '../structure/numbering.ts'
import type { Structure } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { checkImages } from './anonymity.ts'
import { findApproval, recordApproval } from './approval.ts'
import type { SurveySettings } from './settings.ts'
import { type Survey, SurveyVersion } from './survey.ts'

/** Returns the structure of a survey with the stable numbers of its choices and rows. */
export async function numberedStructureOf({ em }: Pick<Context, 'em'>, survey: Survey): Promise<NumberedStructure> {
  await em.populate(survey, ['structure', 'removed', 'questionNumbers'])
  // Structures that early versions of Canvass stored have no stable numbers.
  return { structure: numberStructure(survey.structure).structure, removed: survey.removed }
}

/**
 * Assigns stable numbers to the choices and rows of a structure.
 * @throws {Problem} `invalid_structure` when two answers would share a key
 */
export function assignNumbers(structure: Structure, before?: NumberedStructure): NumberedStructure {
  const numbered = numberStructure(structure, before)
  const errors = findKeyConflicts(numbered.structure)
  if (errors.length) throw problems.invalidStructure(errors)
  return numbered
}

/**
 * Saves a validated structure as the next version of a survey.
 * @throws {Problem} as {@link assignNumbers} and {@link checkImages}; `approval_required`
 */
export async function saveVersion(
  context: Context,
  survey: Survey,
  structure: Structure,
): Promise<{ before: NumberedStructure; after: NumberedStructure }> {
  const { em, actor, now } = context
  const before = await numberedStructureOf(context, survey)
  await checkImages(context, survey, structure)
  if (JSON.stringify(before.structure) !== JSON.stringify(survey.structure)) {
    const key = { survey: survey.id, version: survey.version }
    await em.nativeUpdate(SurveyVersion, key, { structure: before.structure })
  }
  await nextTurn()
  const numbered = assignNumbers(structure, before)
  const approval = await findApproval(context, survey, numbered.structure)
  survey.setStructure(numbered, now)
  const version = { survey, version: survey.version, structure: numbered.structure, creator: actor.id, createdAt: now }
  em.create(SurveyVersion, version)
  await em.flush()
  await useImages(em, { survey_id: survey.id }, numbered.structure, { isKept: true, now })
  if (approval !== undefined) await recordApproval(context, approval, survey.version)
  await recordVersion(context, survey, before.structure, numbered.structure)
  return { before, after: numbered }
}

/** The numbers of questions that a version adds, removes and changes. Versions before November 2026 have none. */
export type VersionDetail = { version: number } & Partial<Record<'added' | 'removed' | 'changed', number>>

/** A change of a survey that respondents can see. */
export type SurveyChange = { at: Date } & (
  | { kind: 'opened' | 'closed' | 'anonymous' | 'settings' }
  | { kind: 'questions'; detail: VersionDetail }
)

/** The state of a survey before a change. */
export interface SurveyState {
  live: boolean
  settings: SurveySettings
}

/** Records whether a survey was opened, closed or made anonymous, and whether a setting about identity has changed. */
export async function recordSettings(context: Context, survey: Survey, before: SurveyState): Promise<void> {
  const { live, settings } = survey
  if (live !== before.live) {
    await insert(context, survey.id, live ? 'opened' : 'closed')
    await recordActivity(context, survey.id, live ? 'survey_opened' : 'survey_closed')
  }
  if (settings.anonymous && !before.settings.anonymous) await insert(context, survey.id, 'anonymous')
  const isChanged = IDENTITY_SETTINGS.some(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(before.settings[name]),
  )
  if (isChanged || (before.settings.anonymous && !settings.anonymous)) await insert(context, survey.id, 'settings')
}

/** Records a new version of the structure. */
export async function recordVersion(
  context: Context,
  { id, version }: Survey,
  before: Structure,
  after: Structure,
): Promise<void> {
  const { questions, choices } = diffStructures(before, after)
  const changed = new Set(questions.changed.map((question) => question.id))
  for (const { question } of Object.values(choices).flat()) changed.add(question)
  const [added, removed] = [questions.added.length, questions.removed.length]
  await insert(context, id, 'questions', { version, added, removed, changed: changed.size })
  await recordActivity(context, id, 'survey_published', { version })
}

/** Returns the changes of a survey after it was first opened, newest first. */
export async function changesSinceOpening({ em }: PublicContext, surveyId: number): Promise<SurveyChange[]> {
  const db = em.getKysely<Tables>()
  const changes = db.selectFrom('survey_change').where('survey_id', '=', surveyId)
  const opened = await changes.select('id').where('kind', '=', 'opened').orderBy('id').limit(1).executeTakeFirst()
  const rows = await changes
    .select(['at', 'kind', 'detail'])
    .where('id', '>=', opened?.id ?? 0)
    .orderBy('id', 'desc')
    .limit(MAX_CHANGES)
    .execute()
  return rows.map(({ at, kind, detail }) => ({ at: new Date(at), kind, detail }) as SurveyChange)
}

/** Settings that determine what is known about respondents, apart from `anonymous`. */
export const IDENTITY_SETTINGS = [
  'store_ip',
  'one_per_invite',
  'invite_only',
  'redirect_url',
  'custom_authentication',
] as const

/** Number of changes that the page for respondents lists. */
export const MAX_CHANGES = 100

export async function insert({ em, now }: Context, surveyId: number, kind: SurveyChange['kind'], detail: object = {}) {
  await em
    .getKysely<Tables>()
    .insertInto('survey_change')
    .values({ survey_id: surveyId, at: now, kind, detail: JSON.stringify(detail) })
    .execute()
}
