import { isDeepStrictEqual } from 'node:util'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context, PublicContext } from '../../context.ts'
import { recordFrequentActivity } from '../../security/record.ts'
import type { Answer } from '../../structure/questionnaire.ts'
import { toStored } from '../../structure/stored.ts'
import { truncateToHour } from '../../survey/anonymity.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import type { ResponseRecord, ResponseUpdate } from '../submit/save.ts'

/** The numbers in `response_revision.kind`. */
export const REVISION = { edited: 2, deleted: 3, restored: 4 } as const

/** The values that an edit replaced. */
export interface Replaced {
  /** By response key, as stored; null: there was no answer. */
  answers?: Record<string, Answer | null>
  completed?: number
  collector?: number
  /** Whether the respondent made the change. */
  respondent?: true
}

/** Stores what an edit replaces, unless it changes nothing. Call it in the transaction that stores the edit. */
export async function recordEdit(
  context: Context,
  snapshot: SurveySnapshot,
  stored: ResponseRecord,
  update: ResponseUpdate,
  reason?: string,
): Promise<void> {
  const { em, actor, now } = context
  const before = replacedBy(snapshot, stored, update)
  if (!before) return
  await insertEdit(em, snapshot, stored, { at: now, account_id: actor.id, reason: reason ?? null, before })
  await recordFrequentActivity(context, snapshot.id, 'responses_corrected')
}

/**
 * Stores what a correction by the respondent replaces, as {@link recordEdit} does.
 * @param isExact false for an anonymous response, whose history has the hour only
 */
export async function recordCorrection(
  { em, now }: PublicContext,
  snapshot: SurveySnapshot,
  stored: ResponseRecord,
  update: ResponseUpdate,
  isExact: boolean,
): Promise<void> {
  const replaced = replacedBy(snapshot, stored, update)
  if (!replaced) return
  const at = isExact ? now : truncateToHour(now)
  await insertEdit(em, snapshot, stored, {
    at,
    account_id: null,
    reason: null,
    before: { ...replaced, respondent: true },
  })
}

/** Returns the values that an update replaces; undefined if it changes nothing. */
function replacedBy(
  { questionnaire }: SurveySnapshot,
  stored: ResponseRecord,
  { answers = {}, cleared = [], completed, collectorId }: ResponseUpdate,
): Replaced | undefined {
  const keys = [...new Set([...Object.keys(answers), ...cleared])].filter(
    (key) => !isDeepStrictEqual(answers[key], stored.answers[key]),
  )
  const [answered, absent] = [true, false].map((has) =>
    keys.filter((key) => Object.hasOwn(stored.answers, key) === has),
  )
  const old = Object.fromEntries(answered!.map((key) => [key, stored.answers[key]!]))
  const storedKey = (key: string) => questionnaire.byKey.get(key)?.storedKey ?? key
  const none = Object.fromEntries(absent!.map((key) => [storedKey(key), null]))
  const before: Replaced = {
    ...(keys.length > 0 && { answers: { ...none, ...toStored(questionnaire, old) } }),
    ...(completed !== undefined && completed !== stored.completed && { completed: stored.completed }),
    ...(collectorId !== undefined && collectorId !== stored.collectorId && { collector: stored.collectorId }),
  }
  return Object.keys(before).length > 0 ? before : undefined
}

const insertEdit = (
  em: EntityManager,
  { id }: SurveySnapshot,
  stored: ResponseRecord,
  { before, ...values }: { at: Date; account_id: number | null; reason: string | null; before: Replaced },
) =>
  em
    .getKysely<Tables>()
    .insertInto('response_revision')
    .values({
      survey_id: id,
      response_id: stored.id,
      kind: REVISION.edited,
      ...values,
      before: JSON.stringify(before),
    })
    .execute()
