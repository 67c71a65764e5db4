import type { Context, PublicContext } from '../context.ts'
import { diffStructures } from '../structure/diff.ts'
import type { Structure } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import type { SurveySettings } from './settings.ts'
import type { Survey } from './survey.ts'

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

/** Settings that determine what is known about respondents, apart from `anonymous`. */
const IDENTITY_SETTINGS = [
  'store_ip',
  'one_per_invite',
  'invite_only',
  'redirect_url',
  'custom_authentication',
] as const

/** Number of changes that the page for respondents lists. */
const MAX_CHANGES = 100

/** Records whether a survey was opened, closed or made anonymous, and whether a setting about identity has changed. */
export async function recordSettings(context: Context, survey: Survey, before: SurveyState): Promise<void> {
  const { live, settings } = survey
  if (live !== before.live) await insert(context, survey.id, live ? 'opened' : 'closed')
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
}

async function insert({ em, now }: Context, surveyId: number, kind: SurveyChange['kind'], detail: object = {}) {
  await em
    .getKysely<Tables>()
    .insertInto('survey_change')
    .values({ survey_id: surveyId, at: now, kind, detail: JSON.stringify(detail) })
    .execute()
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
