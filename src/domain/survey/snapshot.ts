import type { EntityManager } from '@mikro-orm/postgresql'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { executePrepared } from '../execute-prepared.ts'
import { rolesByMember } from '../group/access.ts'
import type { Role } from '../group/group.ts'
import { lookup } from '../lookup.ts'
import type { Services } from '../services.ts'
import { compile } from '../structure/compile.ts'
import { numberQuestions, type QuestionNumbers, type RemovedItems } from '../structure/numbering.ts'
import type { Questionnaire } from '../structure/questionnaire.ts'
import type { Tables } from '../tables.ts'
import type { TextOverrides } from '../text/catalog.ts'
import { findThemes } from '../theme/store.ts'
import { resolveTheme, type Theme } from '../theme/theme.ts'
import type { PanelReturn } from './panel-return.ts'
import { defaultSettings, type SurveySettings } from './settings.ts'
import type { Weighting } from './weighting.ts'

/** A collector as part of a {@link SurveySnapshot}. */
export interface CollectorSnapshot {
  id: number
  name: string
  live: boolean
  isDefault: boolean
  /** The settings of the survey with the overrides of this collector. */
  settings: Readonly<SurveySettings>
  /** Where the respondents of a panel return. */
  panelReturn: Readonly<PanelReturn> | null
}

/** A survey at one revision with its compiled questionnaire. It is read-only, and requests share it. */
export interface SurveySnapshot {
  id: number
  ownerId: number
  ownerUsername: string
  /** The roles of group members by account id. */
  members: ReadonlyMap<number, ReadonlySet<Role>>
  name: string
  slug: string
  live: boolean
  /** Whether the survey was created in the browser and has never been open. */
  unpublished: boolean
  revision: number
  version: number
  settings: Readonly<SurveySettings>
  /** The theme, including the members that the survey inherits from the theme of its account. */
  theme: Readonly<Theme>
  /** Texts of the owner that replace texts of the service. */
  texts: TextOverrides
  questionnaire: Questionnaire
  /** Choices and rows of earlier versions that the structure no longer has. */
  removed: readonly RemovedItems[]
  questionNumbers: QuestionNumbers
  collectors: ReadonlyMap<number, CollectorSnapshot>
  defaultCollector: CollectorSnapshot
  /** The smallest id that was reserved for the responses of the survey; null: none were reserved. */
  ownIdsFrom: number | null
  /** The hash of the structure if it was approved (survey/reviews.ts). */
  approvedHash: string | null
  /** How the weight of a response follows from its answers; null: the survey has no weights. */
  weighting: Weighting | null
}

const MAX_CACHED_SURVEYS = 1_000
const caches = new WeakMap<object, LRUCache<number, SurveySnapshot>>()

/** Returns the cache of one database. In tests, one process has several databases. */
function cacheOf(database: object): LRUCache<number, SurveySnapshot> {
  let cache = caches.get(database)
  if (!cache) {
    cache = new LRUCache({ max: MAX_CACHED_SURVEYS })
    caches.set(database, cache)
  }
  return cache
}

/**
 * Returns the cached snapshot of a survey, if any, without a query. The snapshot may be stale. Use it only if the
 * revision is checked later, as the submission batcher does, or to read properties that never change (owner, slug).
 */
export const peekSnapshot = ({ database }: Pick<Services, 'database'>, id: number): SurveySnapshot | undefined =>
  cacheOf(database).get(id)

/**
 * Returns the current snapshot of a survey. Compares the revision of the cached snapshot by a query, and reloads a
 * stale snapshot.
 */
export async function getSnapshot(em: EntityManager, id: number): Promise<SurveySnapshot | undefined> {
  const cache = cacheOf(em.getDriver())
  const cached = cache.get(id)
  if (cached) {
    const current = await findRevision(em, id)
    if (current === undefined) cache.delete(id)
    if (current === undefined || current === cached.revision) return current === undefined ? undefined : cached
  }
  const snapshot = await load(em, id)
  // A snapshot that was read in a transaction is not cached: if the transaction is rolled back, the revision of the
  // snapshot could later identify another structure.
  if (snapshot && !em.isInTransaction()) cache.set(id, snapshot)
  return snapshot
}

/** The hash of the published structure if it was approved. */
const approvedHash = ({ selectFrom }: ExpressionBuilder<Tables, 'survey'>) =>
  selectFrom('survey_review as review')
    .select('review.hash')
    .whereRef('review.survey_id', '=', 'survey.id')
    .whereRef('review.version', '=', 'survey.version')
    .where('review.state', '=', 'approved')
    .limit(1)
    .as('approved_hash')

async function readRevisions(db: Kysely<Tables>, ids: readonly number[]): Promise<(number | undefined)[]> {
  const wanted = [...new Set(ids)]
  const rows = await executePrepared<{ id: number; revision: number }>(
    db,
    sql`select id, revision from survey where id = any(${wanted}::bigint[]) and deleted_at is null`,
  )
  const revisions = new Map(rows.map((row) => [row.id, row.revision]))
  return ids.map((id) => revisions.get(id))
}

/** Finds the revision of a survey by database. Requests that arrive at the same time share statements. */
const revisionLookups = new WeakMap<object, (id: number) => Promise<number | undefined>>()

async function findRevision(em: EntityManager, id: number): Promise<number | undefined> {
  if (em.isInTransaction()) return (await readRevisions(em.getKysely<Tables>(), [id]))[0]
  const database = em.getDriver()
  let find = revisionLookups.get(database)
  if (!find) {
    const db = em.fork().getKysely<Tables>()
    find = lookup('find revisions of surveys', (ids: readonly number[]) => readRevisions(db, ids))
    revisionLookups.set(database, find)
  }
  return find(id)
}

async function load(em: EntityManager, id: number): Promise<SurveySnapshot | undefined> {
  const db = em.getKysely<Tables>()
  const survey = await db
    .selectFrom('survey')
    .innerJoin('account', 'account.id', 'survey.owner_id')
    .selectAll('survey')
    .select('account.username')
    .select(approvedHash)
    .where('survey.id', '=', id)
    .where('survey.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!survey) return undefined
  const rows = await db.selectFrom('collector').selectAll().where('survey_id', '=', id).orderBy('id').execute()
  const themes = await findThemes(em, { accountId: survey.owner_id, surveyId: id })
  const settings = Object.freeze({ ...defaultSettings, ...survey.settings })
  const collectors = new Map(
    rows.map((row): [number, CollectorSnapshot] => [
      row.id,
      Object.freeze({
        id: row.id,
        name: row.name,
        live: row.live,
        isDefault: row.is_default,
        settings: Object.freeze({ ...settings, ...row.settings }),
        panelReturn: row.panel_return,
      }),
    ]),
  )
  const defaultCollector = [...collectors.values()].find(({ isDefault }) => isDefault)
  if (!defaultCollector) return undefined
  return Object.freeze({
    id,
    ownerId: survey.owner_id,
    ownerUsername: survey.username,
    members: await rolesByMember({ em }, id),
    name: survey.name,
    slug: survey.slug,
    live: survey.live,
    unpublished: survey.unpublished,
    revision: survey.revision,
    version: survey.version,
    settings,
    theme: resolveTheme(themes.account, themes.survey),
    texts: survey.texts,
    questionnaire: compile(survey.structure, survey.removed),
    removed: survey.removed,
    questionNumbers: numberQuestions(survey.structure, survey.question_numbers ?? undefined),
    collectors,
    defaultCollector,
    ownIdsFrom: survey.own_ids_from,
    approvedHash: survey.approved_hash,
    weighting: survey.weighting ?? null,
  })
}

/**
 * Invalidates the cached snapshots of a survey by incrementing its revision. Call it after a change of other tables
 * whose rows a snapshot contains. (If the survey entity changes, MikroORM increments the revision.) Locks the row until
 * the commit.
 */
export async function invalidateSurvey(em: EntityManager, id: number): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('survey')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
