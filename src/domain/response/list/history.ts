import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import type { Answer, Answers } from '../../structure/questionnaire.ts'
import { fromStored } from '../../structure/stored.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { REVISION, type Replaced } from '../edit/history.ts'
import { findResponse } from './queries.ts'

/** One value before and after an edit; null: no answer. */
export interface ValueChange {
  /** A response key, `_completed` or `_collector`. */
  key: string
  before: Answer | null
  after: Answer | null
}

/** What somebody did with a response. */
export interface Revision {
  kind: keyof typeof REVISION
  at: Date
  /** Null: the respondent, or an account that no longer exists. */
  by: { id: number; username: string } | null
  /** Whether the respondent made the change, with the code of the receipt. */
  byRespondent: boolean
  reason: string | null
  /** Changed values, for an edit. */
  changes: ValueChange[]
}

/** Maximum number of revisions that {@link listHistory} returns. */
const MAX_REVISIONS = 200

/**
 * Returns what people did with a response after it was submitted, the newest first, at most {@link MAX_REVISIONS}.
 * @throws {Problem} `survey_not_found`, `forbidden`, `response_not_found`
 */
export async function listHistory(
  context: Context,
  surveyId: number,
  responseId: number,
): Promise<{ snapshot: SurveySnapshot; revisions: Revision[] }> {
  const { snapshot, row } = await findResponse(context, surveyId, responseId)
  const rows = await revisionsOf(context.em.getKysely<Tables>(), surveyId, responseId)
  const kinds = Object.keys(REVISION) as (keyof typeof REVISION)[]
  const current = new Map<string, Answer | null>(Object.entries(row.answers as Answers))
  current.set('_completed', row.completed).set('_collector', row.collector_id)
  const revisions = rows.map(({ kind, at, account_id, username, reason, before }): Revision => {
    const {
      answers = {},
      completed,
      collector,
      respondent = false,
    } = kind === REVISION.edited ? (before as Replaced) : {}
    const absent = Object.keys(answers).filter((key) => answers[key] === null)
    const keyOf = (stored: string) => snapshot.questionnaire.byStoredKey.get(stored)?.key ?? stored
    const present = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== null))
    const old = new Map<string, Answer | null>([
      ...Object.entries(fromStored(snapshot.questionnaire, present as Answers)),
      ...absent.map((key) => [keyOf(key), null] as const),
    ])
    if (completed !== undefined) old.set('_completed', completed)
    if (collector !== undefined) old.set('_collector', collector)
    const changes = [...old].map(([key, value]) => ({ key, before: value, after: current.get(key) ?? null }))
    for (const [key, value] of old) current.set(key, value)
    return {
      kind: kinds.find((name) => REVISION[name] === kind)!,
      at: new Date(at),
      by: account_id === null ? null : { id: account_id, username: username! },
      byRespondent: respondent,
      reason,
      changes,
    }
  })
  return { snapshot, revisions }
}

const revisionsOf = (db: Kysely<Tables>, surveyId: number, responseId: number) =>
  db
    .selectFrom('response_revision')
    .leftJoin('account', 'account.id', 'response_revision.account_id')
    .select(['kind', 'at', 'account.id as account_id', 'account.username', 'reason', 'before'])
    .where('response_revision.survey_id', '=', surveyId)
    .where('response_revision.response_id', '=', responseId)
    .orderBy('response_revision.id', 'desc')
    .limit(MAX_REVISIONS)
    .execute()
